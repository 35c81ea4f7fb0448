import { bytesEqual, compareBytes } from '../../ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../ethereum/primitives/hex.ts';
import type { Evm } from '../interpreter/evm.ts';
import type { AccessedAccount } from '../interpreter/message.ts';

/**
 * Returns the accesses that a run recorded, merged with the access list of that run. As in geth, sender, target and precompiles appear only when one
 * of their slots was accessed.
 * @param warm addresses of sender and target
 * @param known access list of the run
 */
export function collectAccesses(
  evm: Evm,
  warm: readonly Uint8Array[],
  known: readonly AccessedAccount[],
): readonly AccessedAccount[] {
  const slotsByAddress = new Map<string, Set<string>>();
  const isWarm = (address: Uint8Array): boolean =>
    warm.some((other) => bytesEqual(other, address)) || evm.state.getPrecompile(address) !== 0;
  const slotsOf = (address: Uint8Array): Set<string> => {
    const key = bytesToHex(address);
    const slots = slotsByAddress.get(key) ?? new Set();
    slotsByAddress.set(key, slots);
    return slots;
  };
  for (const { address, storageKeys } of known)
    for (const slot of storageKeys) slotsOf(address).add(bytesToHex(slot));
  const accesses = evm.takeBlockAccesses();
  for (const address of [...known.map((entry) => entry.address), ...accesses.map((entry) => entry.address)])
    if (!isWarm(address)) slotsOf(address);
  for (const { address, slot } of accesses) if (slot !== undefined) slotsOf(address).add(bytesToHex(slot));
  return [...slotsByAddress]
    .map(([address, slots]) => ({
      address: hexToBytes(address),
      storageKeys: [...slots].map(hexToBytes).toSorted(compareBytes),
    }))
    .toSorted((a, b) => compareBytes(a.address, b.address));
}

/** Whether two sorted lists have the same entries. */
export function isSameList(a: readonly AccessedAccount[], b: readonly AccessedAccount[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ address, storageKeys }, index) => {
      const other = b[index] as AccessedAccount;
      return (
        bytesEqual(address, other.address) &&
        storageKeys.length === other.storageKeys.length &&
        storageKeys.every((slot, at) => bytesEqual(slot, other.storageKeys[at] as Uint8Array))
      );
    })
  );
}
