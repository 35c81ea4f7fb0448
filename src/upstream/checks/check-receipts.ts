import type { JsonResult } from '../../primitives/json-result.ts';
import { UpstreamFault } from '../fault.ts';
import type { Block } from '../heads/block.ts';
import { checkResult, type StreamCheck } from './check-stream.ts';

/** Every receipt has it once, no log has it. */
const ONCE_A_RECEIPT = '"cumulativeGasUsed"';
const BLOCK_HASH_NAME = '"blockHash"';
/** Parts of both that begin with a letter which hex has not: so next to nothing else of a text is looked at. */
const PART_OF_GAS = 'Gas';
const PART_OF_HASH = 'kHash';
const GAS_OFFSET: number = ONCE_A_RECEIPT.indexOf(PART_OF_GAS);
const HASH_OFFSET: number = BLOCK_HASH_NAME.indexOf(PART_OF_HASH);
const BLOCK_HASH = /"blockHash"\s*:\s*"(0x[0-9a-fA-F]{64})"/y;
/** More than the longest thing looked for: what a border between pieces may cut is looked at again with the next. */
const OVERLAP = 128;

/**
 * The receipts of a block are complete, in the order of its transactions, and of this block and no other: their
 * bytes are searched for what the block says, so that 20 MB need not become objects.
 */
export function checkReceipts(block: Block): (result: JsonResult) => JsonResult {
  return (result) => checkResult(result, new ReceiptSearch(block));
}

/** Goes through the text of receipts once, piece by piece. */
class ReceiptSearch implements StreamCheck {
  readonly #block: Block;
  #rest = '';
  #hashes = 0;
  #receipts = 0;
  #hasBegun = false;

  constructor(block: Block) {
    this.#block = block;
  }

  add(piece: string): void {
    if (!this.#hasBegun && !piece.startsWith('[')) {
      throw new UpstreamFault('wrong', 'the receipts are no array');
    }
    this.#hasBegun = true;
    const text = this.#rest + piece;
    const hashesEnd = this.#findHashes(text);
    const countsEnd = this.#countReceipts(text);
    const placesEnd = this.#comparePlaces(text);
    this.#rest = text.slice(Math.max(hashesEnd, countsEnd, placesEnd, text.length - OVERLAP));
  }

  finish(): void {
    const { length } = this.#block.transactionHashes;
    if (this.#hashes < length) throw new UpstreamFault('wrong', 'receipts are missing or out of order');
    if (this.#receipts !== length)
      throw new UpstreamFault('wrong', 'there are receipts of other transactions');
  }

  #findHashes(text: string): number {
    const { transactionHashes } = this.#block;
    let from = 0;
    while (this.#hashes < transactionHashes.length) {
      const hash = transactionHashes[this.#hashes] as string;
      const at = text.indexOf(hash, from);
      if (at < 0) break;
      from = at + hash.length;
      this.#hashes++;
    }
    return from;
  }

  #countReceipts(text: string): number {
    let end = 0;
    for (let at = text.indexOf(PART_OF_GAS); at >= 0; at = text.indexOf(PART_OF_GAS, at + 1)) {
      const start = at - GAS_OFFSET;
      if (!text.startsWith(ONCE_A_RECEIPT, start)) continue;
      end = start + ONCE_A_RECEIPT.length;
      this.#receipts++;
    }
    return end;
  }

  #comparePlaces(text: string): number {
    const { hash } = this.#block;
    const usual = `${BLOCK_HASH_NAME}:"${hash}"`;
    let end = 0;
    for (let at = text.indexOf(PART_OF_HASH); at >= 0; at = text.indexOf(PART_OF_HASH, at + 1)) {
      const start = at - HASH_OFFSET;
      if (text.startsWith(usual, start)) {
        end = start + usual.length;
        continue;
      }
      BLOCK_HASH.lastIndex = Math.max(start, 0);
      const match = BLOCK_HASH.exec(text);
      if (match === null) continue;
      if (match[1]?.toLowerCase() !== hash) {
        throw new UpstreamFault('wrong', 'the receipts are those of another block');
      }
      end = BLOCK_HASH.lastIndex;
    }
    return end;
  }
}
