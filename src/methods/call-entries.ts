import type { BlockOverrides, BlockSimulation, CallObject, StateOverrides } from '../chain/requests.ts';
import { refuseEntries } from '../rpc/codec/codec.ts';
import { limitOf } from '../util/bounds.ts';

/** Parts of a message call, or of a simulated block, that hold lists and maps; calls of a block are counted by themselves. */
type CallParts = {
  readonly call?: CallObject | undefined;
  readonly stateOverrides?: StateOverrides | undefined;
  readonly blockOverrides?: Pick<BlockOverrides, 'withdrawals'> | undefined;
};

const MAX_ENTRIES = limitOf('call.entries');
/** Entries that the weight of a call covers, and that are charged together beyond it. */
const COVERED_ENTRIES = 100;

/** Counts entries until there are too many. */
class EntryCount {
  entries = 0;

  /** @throws RpcError where there are too many */
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

/** Hundreds beyond what the weight of a call covers. */
function countFurther(entries: number): number {
  return Math.ceil(Math.max(0, entries - COVERED_ENTRIES) / COVERED_ENTRIES);
}

/**
 * Entries of the lists and overrides of a call that are paid for, in hundreds.
 * @throws RpcError where there are more than one call may have
 */
export function countFurtherEntries(parts: CallParts): number {
  const count = new EntryCount();
  count.addParts(parts);
  return countFurther(count.entries);
}

/**
 * The same of all blocks of a simulation; their calls are paid for as entries are, and have bounds of their own.
 * @throws RpcError where there are more than one simulation may have
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
