/** Values that the requests and answers of the proxy bench share. */

/** A block with receipts of about `bytes` bytes, and `logs` logs in each receipt. */
export type ReceiptSize = {
  readonly name: string;
  readonly block: number;
  readonly bytes: number;
  readonly logs: number;
};

/** Sizes around the default of `cache.entryBytes`, 1,048,576: 0.99 MB is cached, 1.15 MB is not. */
export const RECEIPT_SIZES: readonly ReceiptSize[] = [
  { name: '21 kB', block: 10, bytes: 21_000, logs: 1 },
  { name: '0.99 MB', block: 11, bytes: 990_000, logs: 4 },
  { name: '1.15 MB', block: 12, bytes: 1_150_000, logs: 4 },
  { name: '20 MB', block: 13, bytes: 20_000_000, logs: 25 },
];

export const CHAIN_ID = 31_337;
