import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { RequestScope } from '../util/request-scope.ts';

/** Credits for work beyond the weight of its call, by its name in a table of credits. */
export const WORK_CREDITS = {
  /** An account, a slot or a code that nodes prove for a call that is executed here. */
  execution_provenKey: 10,
  /** A turn in which such a call asks nodes. */
  execution_roundTrip: 80,
  /** 16 KiB to hash, after the first. */
  web3_sha3_further16KiB: 5,
  /** 100 addresses and topics to look for, after the first. */
  eth_getLogs_further100Values: 10,
  /** 100 entries of the lists and overrides of a call, or calls of a simulation, after the first. */
  call_further100Entries: 10,
  /** A block to simulate, after the first; those that fill a gap of numbers too. */
  eth_simulateV1_furtherBlock: 20,
  /** A look-up of the block that a subscription begins behind. */
  eth_subscribe_start: 80,
  /** A nonce that is looked up after a block, as `eth_getTransactionCount` is. */
  eth_getTransactionBySenderAndNonce_lookup: 80,
  /** A transaction that a poll of a filter for whole waiting transactions looks up. */
  eth_getFilterChanges_transaction: 20,
} as const;

export type WorkName = keyof typeof WORK_CREDITS;

export const WORK_NAMES: readonly string[] = Object.keys(WORK_CREDITS);

/**
 * Does work that the owner of a call pays for first.
 * @throws (or rejects with) RpcError where the owner has no credits for it
 */
export function workFor<T>(
  { meter }: Pick<RequestScope, 'meter'>,
  name: WorkName,
  count: number,
  work: () => PromiseOrValue<T>,
): PromiseOrValue<T> {
  if (count <= 0 || meter === undefined) return work();
  return continueWith(meter.payFor(name, count), work);
}
