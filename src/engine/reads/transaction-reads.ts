import { decodeTransactionAt, readTransactionBytes } from '../../chain/block.ts';
import type { TransactionReads, TransactionReference } from '../../chain/chain.ts';
import { decodeStoredReceiptAt, readTransactionFactsAt } from '../../chain/receipt.ts';
import { encodeReceiptJson, encodeTransactionJson } from '../../chain/wire-json.ts';
import { hexToBytes } from '../../primitives/hex.ts';
import { encodeHexData, toHexData } from '../../primitives/hex-data.ts';
import type { JsonResult, JsonText } from '../../primitives/json-result.ts';
import type { StoredHeader } from '../../store/chain-reader.ts';
import { joinParts } from './join-parts.ts';
import { requirePart, type StoredBlocks } from './stored-blocks.ts';

/** A stored block, and a position in it, which may be past its last transaction. */
type StoredPlace = { readonly position: StoredHeader; readonly index: bigint };

/** Transactions of stored blocks. */
export class EngineTransactions implements TransactionReads {
  readonly #blocks: StoredBlocks;

  constructor(blocks: StoredBlocks) {
    this.#blocks = blocks;
  }

  getTransaction(transaction: TransactionReference): JsonText | null {
    const found = this.#find(transaction);
    if (found === undefined) return null;
    const { position, index } = found;
    const tx = decodeTransactionAt(this.#blocks.getBody(position), index);
    if (tx === undefined) return null;
    const facts = readTransactionFactsAt(this.#blocks.getReceipts(position), Number(index));
    const place = { header: position.header, hash: position.hashText };
    return encodeTransactionJson(tx, requirePart(facts), Number(index), place);
  }

  getRawTransaction(transaction: TransactionReference): JsonResult | null {
    const found = this.#find(transaction);
    if (found === undefined) return null;
    const bytes = readTransactionBytes(this.#blocks.getBody(found.position), found.index);
    return bytes === undefined ? null : encodeHexData(toHexData(bytes));
  }

  getReceipt(hash: string): JsonResult | null {
    const found = this.#find({ hash });
    if (found === undefined) return null;
    const { position, index } = found;
    const tx = requirePart(decodeTransactionAt(this.#blocks.getBody(position), index));
    const stored = this.#blocks.getReceipts(position);
    const receipt = requirePart(decodeStoredReceiptAt(stored, Number(index)));
    const place = { header: position.header, hash: position.hashText };
    const blobGasPrice = tx.type === 3 ? this.#blocks.getBlobGasPrice(position) : 0n;
    return joinParts(encodeReceiptJson(tx, Number(index), receipt, place, blobGasPrice), stored.length);
  }

  #find(transaction: TransactionReference): StoredPlace | undefined {
    if (!('hash' in transaction)) {
      const position = this.#blocks.find(transaction.block);
      return position && { position, index: transaction.index };
    }
    const found = this.#blocks.reader.findTransaction(hexToBytes(transaction.hash));
    if (found === undefined) return undefined;
    const position = requirePart(this.#blocks.reader.getHeader(found.number));
    return { position, index: BigInt(found.index) };
  }
}
