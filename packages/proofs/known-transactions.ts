import { encodeHex } from '../ethereum/primitives/byte-loops.ts';
import type { VerifiedHeader } from './verify-block.ts';
import type { VerifiedFacts } from './verify-transaction.ts';

/** Size of a row, and byte offsets of its fields, as in `assembly/block.ts`. The fields `hash`, `from` and `to` end where the next field begins. */
export const ROW_SIZE = 128;
export const ROW = {
  start: 0,
  end: 4,
  encoded: 8,
  encodedSize: 12,
  type: 20,
  gasPrice: 24,
  nonce: 32,
  hash: 40,
  from: 72,
  to: 92,
  hasTo: 112,
  blobs: 116,
} as const;

/** Facts of a block's transactions, in order. Responses about transactions and receipts of the block are compared with these facts. */
export class KnownTransactions {
  readonly length: number;
  /** Rows for `ListText`, which compares receipts and transaction hashes with them. Absent if the transactions were parsed as JSON. */
  readonly rows: Uint8Array | undefined;
  /** Facts of transactions that are not in the rows, by index. */
  readonly parsed: ReadonlyMap<number, VerifiedFacts>;
  #facts: readonly VerifiedFacts[] | undefined;

  private constructor(
    length: number,
    rows: Uint8Array | undefined,
    parsed: ReadonlyMap<number, VerifiedFacts>,
  ) {
    this.length = length;
    this.rows = rows;
    this.parsed = parsed;
  }

  static of(facts: readonly VerifiedFacts[]): KnownTransactions {
    const known = new KnownTransactions(facts.length, undefined, new Map());
    known.#facts = facts;
    return known;
  }

  static ofRows(rows: Uint8Array, parsed: ReadonlyMap<number, VerifiedFacts>): KnownTransactions {
    return new KnownTransactions(rows.length / ROW_SIZE, rows, parsed);
  }

  /**
   * Whether the other object has the same transaction hashes in the same order. Returns false if the transactions of this object or of the other
   * object are not stored as rows.
   */
  areHashesOf({ rows }: KnownTransactions): boolean {
    const own = this.rows;
    if (own === undefined || rows?.length !== own.length) return false;
    const [first, second] = [own, rows].map(({ buffer, byteOffset }) => new DataView(buffer, byteOffset));
    for (let row = 0; row < own.length; row += ROW_SIZE)
      for (let at = row + ROW.hash; at < row + ROW.from; at += 4)
        if (first?.getUint32(at) !== second?.getUint32(at)) return false;
    return true;
  }

  /** Facts of all transactions. The facts are read from the rows at first use, since most blocks never need them. */
  get facts(): readonly VerifiedFacts[] {
    this.#facts ??= readRows(this.rows as Uint8Array, this.parsed);
    return this.#facts;
  }
}

/** Verified block. */
export type KnownBlock = { readonly header: VerifiedHeader; readonly transactions: KnownTransactions };

function readRows(rows: Uint8Array, parsed: ReadonlyMap<number, VerifiedFacts>): readonly VerifiedFacts[] {
  const text = encodeHex(rows);
  const numbers = new DataView(rows.buffer, rows.byteOffset);
  return Array.from({ length: rows.length / ROW_SIZE }, (_, index) => {
    const known = parsed.get(index);
    if (known !== undefined) return known;
    const row = index * ROW_SIZE;
    const slice = (from: number, to: number): string => `0x${text.slice(2 * (row + from), 2 * (row + to))}`;
    return {
      hash: slice(ROW.hash, ROW.from),
      type: numbers.getUint32(row + ROW.type, true),
      from: slice(ROW.from, ROW.to),
      to: numbers.getUint32(row + ROW.hasTo, true) === 0 ? null : slice(ROW.to, ROW.hasTo),
      nonce: `0x${numbers.getBigUint64(row + ROW.nonce, true).toString(16)}`,
      gasPrice: numbers.getBigUint64(row + ROW.gasPrice, true),
      blobs: numbers.getUint32(row + ROW.blobs, true),
    };
  });
}
