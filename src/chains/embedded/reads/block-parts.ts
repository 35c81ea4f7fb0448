import { splitTransactions } from '../../../../packages/ethereum/codecs/block.ts';
import { countStoredLogs } from '../../../../packages/ethereum/codecs/receipt.ts';
import { splitRlpList } from '../../../../packages/ethereum/primitives/rlp.ts';
import { scanStoredReceipts } from '../../../chain/scan-receipts.ts';

/** Position of a log in a block: its byte range in the stored receipts, and its transaction. */
export type LogPlace = {
  readonly start: number;
  readonly end: number;
  readonly transaction: { readonly index: number; readonly hash: Uint8Array };
};

/** Minimum weight of a block, bytes. */
const LEAST_BYTES = 1_024;
const HASH_LENGTH = 32;

/**
 * Body and receipts of one stored block, split into items on first use. Clients request the transactions of a recent block one after the other, and
 * finding one item costs as much as finding all of them.
 */
export class BlockParts {
  readonly body: Uint8Array;
  readonly storedReceipts: Uint8Array;
  #transactions: readonly Uint8Array[] | undefined;
  #receipts: readonly Uint8Array[] | undefined;
  #logs: readonly LogPlace[] | undefined;
  /** Index in the block of each receipt's first log, by receipt. */
  #firstLogs: Uint32Array | undefined;

  constructor(body: Uint8Array, storedReceipts: Uint8Array) {
    this.body = body;
    this.storedReceipts = storedReceipts;
  }

  /** Approximate heap size, bytes. Data that is derived from an item is at most as large as the item. */
  get weight(): number {
    return 2 * (this.body.length + this.storedReceipts.length) + LEAST_BYTES;
  }

  /** Encoded transactions in the form of the body (`splitTransactions`). */
  get transactions(): readonly Uint8Array[] {
    this.#transactions ??= splitTransactions(this.body);
    return this.#transactions;
  }

  /** Encoded receipts in their stored form. */
  get receipts(): readonly Uint8Array[] {
    this.#receipts ??= splitRlpList(this.storedReceipts);
    return this.#receipts;
  }

  /** Log positions by log index in the block. */
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
