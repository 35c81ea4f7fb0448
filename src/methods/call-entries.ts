import type { BlockOverrides, BlockSimulation, CallObject, StateOverrides } from '../chain/requests.ts';
import { refuseEntries } from '../rpc/codec/codec.ts';
import { limitOf } from '../util/bounds.ts';

/** Parts of a message call, or of a simulated block, that can contain lists or maps. The calls of a simulated block are counted separately. */
type CallParts = {
  readonly call?: CallObject | undefined;
  readonly stateOverrides?: StateOverrides | undefined;
  readonly blockOverrides?: Pick<BlockOverrides, 'withdrawals'> | undefined;
};

const MAX_ENTRIES = limitOf('call.entries');
/** Number of entries that the base credits of a call include. Further entries are charged in units of 100. */
const COVERED_ENTRIES = 100;

/** Counts the list and map entries of a call. Throws once the count exceeds `call.entries`. */
class EntryCount {
  entries = 0;

  /** @throws RpcError when the total exceeds `call.entries` */
  add(entries: number): void {
    this.entries += entries;
    if (this.entries > MAX_ENTRIES) throw refuseEntries('call.entries');
  }

  addParts({ call = {}, stateOverrides, blockOverrides }: CallParts): void {
    const { accessList, authorizationList, blobVersionedHashes } = call;
    if (accessList !== undefined) {
      this.add(accessList.length);
      for (const { storageKeys } of accessList) this.add(storageKeys.length);
    }
    if (authorizationList !== undefined) this.add(authorizationList.length);
    if (blobVersionedHashes !== undefined) this.add(blobVersionedHashes.length);
    if (blockOverrides?.withdrawals !== undefined) this.add(blockOverrides.withdrawals.length);
    for (const address in stateOverrides) {
      this.add(1);
      const { state, stateDiff } = stateOverrides[address] ?? {};
      this.#addMembers(state);
      this.#addMembers(stateDiff);
    }
  }

  #addMembers(slots: Readonly<Record<string, string>> | undefined): void {
    for (const _slot in slots) this.add(1);
  }
}

/** Returns the number of charged units: entries beyond `COVERED_ENTRIES`, in hundreds rounded up. */
function countFurther(entries: number): number {
  return Math.ceil(Math.max(0, entries - COVERED_ENTRIES) / COVERED_ENTRIES);
}

/**
 * Returns the number of units, of 100 entries each, that a call is charged for its lists and overrides.
 * @throws RpcError when a call exceeds `call.entries`
 */
export function countFurtherEntries(parts: CallParts): number {
  const count = new EntryCount();
  count.addParts(parts);
  return countFurther(count.entries);
}

/**
 * Returns the number of units, of 100 entries each, that a simulation is charged for all its blocks. Each simulated call counts as one more entry.
 * Simulated calls do not count toward `call.entries`, because `simulation.calls` limits their number.
 * @throws RpcError when the entries, calls excluded, exceed `call.entries`
 */
export function countSimulatedEntries({ blockStateCalls }: BlockSimulation): number {
  const count = new EntryCount();
  let allCalls = 0;
  for (const { calls = [], ...block } of blockStateCalls) {
    count.addParts(block);
    for (const call of calls) count.addParts({ call });
    allCalls += calls.length;
  }
  return countFurther(count.entries + allCalls);
}
