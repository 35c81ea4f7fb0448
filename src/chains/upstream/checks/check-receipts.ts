import type { JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import type { ReportedBlock } from '../../../pool/heads/block.ts';
import { checkResult, type PromptByteCheck } from './check-stream.ts';
import { TextSearch } from './text-search.ts';

const OPEN_LIST = 0x5b;

/**
 * Creates a check that receipts belong to this block, and that there is one per transaction, in order. The check searches the bytes, so that up to 20
 * MB are not parsed to objects.
 * @returns a check that throws UpstreamFault `wrong` for receipts of another block, or if their number or order is wrong
 */
export function checkReceipts(block: ReportedBlock): (result: JsonResult) => JsonResult {
  return (result) => checkResult(result, new ReceiptSearch(block));
}

/** Checks the text of receipts in one pass, piece by piece. */
class ReceiptSearch implements PromptByteCheck {
  readonly #count: number;
  readonly #search: TextSearch;
  #hasBegun = false;

  constructor(block: ReportedBlock) {
    this.#count = block.transactionHashes.length;
    this.#search = new TextSearch('receipts', block);
  }

  add(piece: Uint8Array): void {
    if (!this.#hasBegun && piece[0] !== OPEN_LIST) throw wrong('the receipts are not an array');
    this.#hasBegun = true;
    this.#search.add(piece);
    if (this.#search.hasOther) throw wrong('the receipts belong to another block');
  }

  finish(): void {
    if (!this.#search.hasAll) throw wrong('receipts are missing or out of order');
    if (this.#search.receipts !== this.#count)
      throw wrong('the number of receipts differs from the number of transactions');
  }
}

function wrong(message: string): UpstreamFault {
  return new UpstreamFault('wrong', message);
}
