import { decodeStoredTransaction, readTransactionBytes } from '../../../../packages/ethereum/codecs/block.ts';
import { placeStoredReceipt, readTransactionFacts } from '../../../../packages/ethereum/codecs/receipt.ts';
import { hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import { encodeHexData, toHexData } from '../../../../packages/ethereum/primitives/hex-data.ts';
import type { JsonResult, JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import type { TransactionReads } from '../../../chain/chain.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { TransactionReference } from '../../../chain/requests.ts';
import { encodeReceiptJson, encodeTransactionJson } from '../../../chain/wire-json.ts';
import type { StoredHeader } from '../store/chain-reader.ts';
import { joinParts } from './join-parts.ts';
import { requirePart, type StoredBlocks } from './stored-blocks.ts';

/** A stored block and a requested transaction index, which may exceed the number of transactions. */
type StoredPlace = { readonly position: StoredHeader; readonly index: bigint };

/** Reads of transactions of stored blocks. */
export class EngineTransactions implements TransactionReads {
  readonly #blocks: StoredBlocks;

  constructor(blocks: StoredBlocks) {
    this.#blocks = blocks;
  }

  getTransaction(transaction: TransactionReference): JsonText | null {
    const found = this.#find(transaction);
    if (found === undefined) return null;
    const { position, index } = found;
    const { transactions, receipts } = this.#blocks.getParts(position);
    const encoded = transactions[Number(index)];
    if (encoded === undefined) return null;
    const facts = readTransactionFacts(requirePart(receipts[Number(index)]));
    const place = { header: position.header, hash: position.hashText };
    return encodeTransactionJson(decodeStoredTransaction(encoded), facts, Number(index), place);
  }

  getRawTransaction(transaction: TransactionReference): JsonResult | null {
    const found = this.#find(transaction);
    if (found === undefined) return null;
    const encoded = this.#blocks.getParts(found.position).transactions[Number(found.index)];
    return encoded === undefined ? null : encodeHexData(toHexData(readTransactionBytes(encoded)));
  }

  getReceipt(hash: string): JsonResult | null {
    const found = this.#find({ hash });
    if (found === undefined) return null;
    const { position, index } = found;
    const at = Number(index);
    const known = this.#blocks.findText('receipt', position, at);
    if (known !== undefined) return known;
    const parts = this.#blocks.getParts(position);
    const tx = decodeStoredTransaction(requirePart(parts.transactions[at]));
    const stored = requirePart(parts.receipts[at]);
    const receipt = placeStoredReceipt(stored, parts.receipts[at - 1], parts.firstLogOf(at));
    const place = { header: position.header, hash: position.hashText };
    const blobGasPrice = tx.type === 3 ? this.#blocks.getBlobGasPrice(position) : 0n;
    const json = joinParts(encodeReceiptJson(tx, at, receipt, place, blobGasPrice), stored.length);
    if (typeof json === 'string') this.#blocks.keepText('receipt', position, at, json);
    return json;
  }

  /** Returns null, because the embedded chain has no pending transactions. */
  findWaiting(): null {
    return null;
  }

  /** Rejects every transaction, because the embedded chain does not produce blocks. @throws ChainError `readOnly` */
  send(): never {
    throw new ChainError('readOnly', 'this network serves imported blocks: transactions cannot be sent');
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
