/** What has been made of long transactions with pauses, before they are compared: `prepareTransactions` makes it. */

import type { RlpWriter } from '../primitives/rlp-writer.ts';
import type { Members } from './findings.ts';
import { UnreadableMember } from './members.ts';

export type PreparedTransaction = {
  readonly encoded: Uint8Array;
  /** Of the encoding. */
  readonly hash: string;
  /** The hash that was signed; undefined where there is none, or it cannot be made. */
  readonly signedHash: Uint8Array | undefined;
};

/** Lists with fewer items are encoded each time. */
export const LONG_LIST: number = 64;

const transactions = new WeakMap<Members, PreparedTransaction>();
const lists = new WeakMap<readonly unknown[], Uint8Array | UnreadableMember>();

export function findPrepared(transaction: Members): PreparedTransaction | undefined {
  return transactions.get(transaction);
}

export function keepPrepared(transaction: Members, prepared: PreparedTransaction): void {
  transactions.set(transaction, prepared);
}

/** @param encoded what it is encoded to, or why it cannot be encoded */
export function keepList(list: readonly unknown[], encoded: Uint8Array | UnreadableMember): void {
  lists.set(list, encoded);
}

/**
 * Writes a list that has been encoded.
 * @returns false, with nothing written, where it has not been
 * @throws UnreadableMember where it could not be encoded
 */
export function writePrepared(writer: RlpWriter, list: readonly unknown[]): boolean {
  const encoded = list.length < LONG_LIST ? undefined : lists.get(list);
  if (encoded === undefined) return false;
  if (encoded instanceof UnreadableMember) throw encoded;
  writer.raw(encoded);
  return true;
}
