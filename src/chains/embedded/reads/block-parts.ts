import { splitTransactions } from '../../../../packages/ethereum/codecs/block.ts';
import { countStoredLogs } from '../../../../packages/ethereum/codecs/receipt.ts';
import { splitRlpList } from '../../../../packages/ethereum/primitives/rlp.ts';
import { scanStoredReceipts } from '../../../chain/scan-receipts.ts';

/** Byte range of a log in the stored receipts of its block, and the transaction that emitted the log. */
export type LogPlace = {
  readonly start: number;
  readonly end: number;
  readonly transaction: { readonly index: number; readonly hash: Uint8Array };
};

/** Approximate heap size of an empty block's parts, bytes. */
const LEAST_BYTES = 1_024;
const HASH_LENGTH = 32;

/**
 * Body and receipts of one stored block, split into items on first use. Items are cached because clients request many transactions of a recent block,
 * and finding one item takes as long as finding all.
 */
export class BlockParts {
  readonly body: Uint8Array;
  readonly storedReceipts: Uint8Array;
  #transactions: readonly Uint8Array[] | undefined;
  #receipts: readonly Uint8Array[] | undefined;
  #logs: readonly LogPlace[] | undefined;
  /** For each receipt: the index of its first log in the block. */
  #firstLogs: Uint32Array | undefined;

  constructor(body: Uint8Array, storedReceipts: Uint8Array) {
    this.body = body;
    this.storedReceipts = storedReceipts;
  }

  /** Approximate heap size, bytes. The factor 2 covers the parts that are split from the encoded data; they are at most as large as this data. */
  get weight(): number {
    return 2 * (this.body.length + this.storedReceipts.length) + LEAST_BYTES;
  }

  /** Transactions as encoded in the body: RLP lists and typed envelopes (`splitTransactions`). */
  get transactions(): readonly Uint8Array[] {
    this.#transactions ??= splitTransactions(this.body);
    return this.#transactions;
  }

  /** Receipts in the encoding of the store. */
  get receipts(): readonly Uint8Array[] {
    this.#receipts ??= splitRlpList(this.storedReceipts);
    return this.#receipts;
  }

  /** Byte range and transaction of each log, by the log's index in the block. */
  get logs(): readonly LogPlace[] {
    this.#logs ??= listLogs(this.storedReceipts);
    return this.#logs;
  }

  /** Returns the index in the block of a receipt's first log. */
  firstLogOf(receipt: number): number {
    this.#firstLogs ??= countFirstLogs(this.receipts);
    return this.#firstLogs[receipt] ?? 0;
  }
}

function countFirstLogs(receipts: readonly Uint8Array[]): Uint32Array {
  const firstLogs = new Uint32Array(receipts.length);
  let count = 0;
  for (const [index, receipt] of receipts.entries()) {
    firstLogs[index] = count;
    count += countStoredLogs(receipt);
  }
  return firstLogs;
}

function listLogs(receipts: Uint8Array): readonly LogPlace[] {
  const logs: LogPlace[] = [];
  let waiting: { readonly start: number; readonly end: number }[] = [];
  scanStoredReceipts(receipts, {
    onLog: ({ start, end }) => waiting.push({ start, end }),
    onTransaction(hashAt, index) {
      if (waiting.length === 0) return;
      const transaction = { index, hash: receipts.subarray(hashAt, hashAt + HASH_LENGTH) };
      for (const { start, end } of waiting) logs.push({ start, end, transaction });
      waiting = [];
    },
  });
  return logs;
}
