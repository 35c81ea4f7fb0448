import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { RequestScope } from '../util/request-scope.ts';

/** Credits for work that the base credits of a call do not include. Each key is the name of a row in the table of credits. */
export const WORK_CREDITS = {
  /** Credits of each account, slot or code that nodes prove for a locally executed call. */
  execution_provenKey: 10,
  /** Credits of each round trip to nodes for a locally executed call. */
  execution_roundTrip: 80,
  /** Credits of each further 16 KiB of data to hash. */
  web3_sha3_further16KiB: 5,
  /** Credits of each further 100 addresses and topics of a filter. */
  eth_getLogs_further100Values: 10,
  /** Credits of each further 100 entries of a call's lists and overrides. In a simulation, each call counts as one more entry. */
  call_further100Entries: 10,
  /** Credits of each further simulated block, including the blocks that fill number gaps. */
  eth_simulateV1_furtherBlock: 20,
  /** Look-up of the start block of a subscription that does not start at the head. */
  eth_subscribe_start: 80,
  /** Look-up of the sender's nonce after a block. The look-up costs as much as a call of `eth_getTransactionCount`. */
  eth_getTransactionBySenderAndNonce_lookup: 80,
  /** Transaction that a poll looks up for a filter of full pending transactions. */
  eth_getFilterChanges_transaction: 20,
} as const;

export type WorkName = keyof typeof WORK_CREDITS;

export const WORK_NAMES: readonly string[] = Object.keys(WORK_CREDITS);

/**
 * Charges the call's owner for `count` units of the named work, then runs `work`. If the request scope has no meter, nothing is charged.
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
