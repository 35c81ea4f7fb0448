import type { JsonResult } from '../../primitives/json-result.ts';
import { UpstreamFault } from '../fault.ts';
import type { Block } from '../heads/block.ts';
import { checkResult, type StreamCheck } from './check-stream.ts';

/** More than the longest thing looked for: what a border between pieces may cut is looked at again with the next. */
const OVERLAP = 128;

/**
 * A block is the one of this hash: its own member says so, wherever it stands. Its transactions are those of the block, in its
 * order, where they are known. The bytes are searched, so that megabytes of transactions need not become objects.
 */
export function checkBlock(hash: string, known: Block | undefined): (result: JsonResult) => JsonResult {
  return (result) => checkResult(result, new BlockSearch(hash, known?.transactionHashes ?? []));
}

/** Goes through the text of a block once, piece by piece. */
class BlockSearch implements StreamCheck {
  readonly #ownHash: RegExp;
  readonly #transactionHashes: readonly string[];
  #rest = '';
  #found = 0;
  #isOwn = false;

  constructor(hash: string, transactionHashes: readonly string[]) {
    this.#ownHash = new RegExp(`"hash"\\s*:\\s*"${hash}"`, 'i');
    this.#transactionHashes = transactionHashes;
  }

  add(piece: string): void {
    const text = this.#rest + piece;
    this.#isOwn ||= this.#ownHash.test(text);
    const from = this.#findHashes(text);
    this.#rest = text.slice(Math.max(from, text.length - OVERLAP));
  }

  finish(): void {
    if (!this.#isOwn) {
      throw new UpstreamFault('wrong', 'the node tells of another block than the one asked for');
    }
    if (this.#found < this.#transactionHashes.length) {
      throw new UpstreamFault('wrong', 'transactions of the block are missing or out of order');
    }
  }

  #findHashes(text: string): number {
    let from = 0;
    while (this.#found < this.#transactionHashes.length) {
      const hash = this.#transactionHashes[this.#found] as string;
      const at = text.indexOf(hash, from);
      if (at < 0) break;
      from = at + hash.length;
      this.#found++;
    }
    return from;
  }
}
