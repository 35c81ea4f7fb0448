/** What questions and answers of the proxy bench have in common. */

/** A block with receipts of about so many bytes, and so many logs in each of them. */
export type ReceiptSize = {
  readonly name: string;
  readonly block: number;
  readonly bytes: number;
  readonly logs: number;
};

/** Around the default of `cache.entryBytes`, which is 1,048,576: the second is kept, the third is not. */
export const RECEIPT_SIZES: readonly ReceiptSize[] = [
  { name: '21 kB', block: 10, bytes: 21_000, logs: 1 },
  { name: '0.99 MB', block: 11, bytes: 990_000, logs: 4 },
  { name: '1.15 MB', block: 12, bytes: 1_150_000, logs: 4 },
  { name: '20 MB', block: 13, bytes: 20_000_000, logs: 25 },
];

export const CHAIN_ID = 31_337;
