import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { RequestScope } from '../util/request-scope.ts';

/** Credits for work beyond the base credits of a call, by name in a table of credits. */
export const WORK_CREDITS = {
  /** Account, slot or code that nodes prove for a call that is executed locally. */
  execution_provenKey: 10,
  /** Round trip to nodes of such a call. */
  execution_roundTrip: 80,
  /** Each further 16 KiB to hash. */
  web3_sha3_further16KiB: 5,
  /** Each further 100 addresses and topics of a filter. */
  eth_getLogs_further100Values: 10,
  /** Each further 100 entries of the lists and overrides of a call, or calls of a simulation. */
  call_further100Entries: 10,
  /** Each further simulated block, including those that fill number gaps. */
  eth_simulateV1_furtherBlock: 20,
  /** Look-up of the block that a subscription starts after. */
  eth_subscribe_start: 80,
  /** Nonce look-up after a block, equivalent to `eth_getTransactionCount`. */
  eth_getTransactionBySenderAndNonce_lookup: 80,
  /** Transaction that a poll of a full pending-transaction filter looks up. */
  eth_getFilterChanges_transaction: 20,
} as const;

export type WorkName = keyof typeof WORK_CREDITS;

export const WORK_NAMES: readonly string[] = Object.keys(WORK_CREDITS);

/**
 * Charges the call's owner for `count` units, then runs `work`.
 * @throws (or rejects with) RpcError when the owner has insufficient credits
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
