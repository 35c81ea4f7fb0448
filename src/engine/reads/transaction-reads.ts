import { decodeTransactionAt } from '../../chain/block.ts';
import type { TransactionPlace, TransactionReads } from '../../chain/chain.ts';
import { decodeStoredReceipts } from '../../chain/receipt.ts';
import { encodeTransactionJson } from '../../chain/wire-json.ts';
import type { JsonText } from '../../primitives/json-result.ts';
import { requirePart, type StoredBlocks } from './stored-blocks.ts';

/** Transactions of stored blocks. */
export class EngineTransactions implements TransactionReads {
  readonly #blocks: StoredBlocks;

  constructor(blocks: StoredBlocks) {
    this.#blocks = blocks;
  }

  getTransaction({ block, index }: TransactionPlace): JsonText | null {
    const position = this.#blocks.find(block);
    if (position === undefined) return null;
    const tx = decodeTransactionAt(this.#blocks.getBody(position), index);
    if (tx === undefined) return null;
    const receipt = decodeStoredReceipts(this.#blocks.getReceipts(position))[Number(index)];
    const place = { header: position.header, hash: position.hashText };
    return encodeTransactionJson(tx, requirePart(receipt), Number(index), place);
  }
}
