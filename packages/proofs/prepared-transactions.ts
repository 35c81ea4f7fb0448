/** Encodings of long transactions. `prepareTransactions` creates these encodings, with pauses, before the transactions are compared. */

import type { RlpWriter } from '../ethereum/primitives/rlp-writer.ts';
import type { Members } from './findings.ts';
import { UnreadableMember } from './members.ts';

export type PreparedTransaction = {
  readonly encoded: Uint8Array;
  /** Hash of the encoding. */
  readonly hash: string;
  /** Hash of the signing payload; undefined if there is no such payload or it cannot be encoded. */
  readonly signedHash: Uint8Array | undefined;
};

/** Minimum number of items of a list whose encoding is stored. A shorter list is encoded again for each comparison. */
export const LONG_LIST: number = 64;

const transactions = new WeakMap<Members, PreparedTransaction>();
const lists = new WeakMap<readonly unknown[], Uint8Array | UnreadableMember>();

/** Returns the result of `prepareTransactions` for this object; undefined for short transactions. */
export function findPrepared(transaction: Members): PreparedTransaction | undefined {
  return transactions.get(transaction);
}

/** Stores the encoding until the transaction object is garbage-collected. */
export function keepPrepared(transaction: Members, prepared: PreparedTransaction): void {
  transactions.set(transaction, prepared);
}

/** Stores the encoding until the list is garbage-collected. @param encoded encoding of the list, or the reason why the list cannot be encoded */
export function keepList(list: readonly unknown[], encoded: Uint8Array | UnreadableMember): void {
  lists.set(list, encoded);
}

/**
 * Writes a list that was encoded before.
 * @returns false, with nothing written, if the list was not encoded before
 * @throws UnreadableMember if the list cannot be encoded
 */
export function writePrepared(writer: RlpWriter, list: readonly unknown[]): boolean {
  const encoded = list.length < LONG_LIST ? undefined : lists.get(list);
  if (encoded === undefined) return false;
  if (encoded instanceof UnreadableMember) throw encoded;
  writer.raw(encoded);
  return true;
}
