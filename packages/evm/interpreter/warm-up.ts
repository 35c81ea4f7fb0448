import type { AccessedAccount } from './message.ts';
import type { WorldState } from './world-state.ts';

/** Number of access list entries warmed per step. A step takes 0.3 ms. */
const PIECE = 512;

/** Warms an access list in steps (EIP-2930). The core itself warms the addresses that are warm in every transaction. */
export function* warmUp(
  state: WorldState,
  accessList: readonly AccessedAccount[],
): Generator<undefined, undefined> {
  let count = 0;
  for (const { address, storageKeys } of accessList) {
    state.warm(address);
    for (const key of storageKeys) {
      state.warmSlot(address, key);
      if (++count % PIECE === 0) yield;
    }
    if (++count % PIECE === 0) yield;
  }
  return undefined;
}
