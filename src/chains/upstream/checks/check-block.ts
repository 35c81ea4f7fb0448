import type { JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import type { ReportedBlock } from '../../../pool/heads/block.ts';
import { checkResult, type PromptByteCheck } from './check-stream.ts';
import { TextSearch } from './text-search.ts';

/**
 * Creates a check that the `hash` member of a block has this value. If the block is known, its transactions must have the known hashes, in order. The
 * check searches the bytes, so that megabytes of transactions are not parsed to objects.
 * @returns a check that throws UpstreamFault `wrong` if the block has another hash or other transactions
 */
export function checkBlock(
  hash: string,
  known: ReportedBlock | undefined,
): (result: JsonResult) => JsonResult {
  return (result) => checkResult(result, new BlockSearch(hash, known?.transactionHashes ?? []));
}

/** Checks the text of a block in one pass, piece by piece. */
class BlockSearch implements PromptByteCheck {
  readonly #search: TextSearch;

  constructor(hash: string, transactionHashes: readonly string[]) {
    this.#search = new TextSearch('block', { hash, transactionHashes });
  }

  add(piece: Uint8Array): void {
    this.#search.add(piece);
  }

  finish(): void {
    if (!this.#search.hasOwn) {
      throw new UpstreamFault('wrong', 'the node returned a block other than the requested one');
    }
    if (!this.#search.hasAll) {
      throw new UpstreamFault('wrong', 'transactions of the block are missing or out of order');
    }
  }
}
