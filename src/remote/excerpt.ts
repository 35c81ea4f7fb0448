import type { ExcerptAccount, StateExcerpt } from '../engine/state/state-excerpt.ts';
import { bytesToHex } from '../primitives/hex.ts';
import type { Proven, RemoteBlock } from './remote-block.ts';
import type { StateKeys } from './state-keys.ts';

/** The proven ones among the named parts of a block's state, for a thread. */
export function createExcerpt(block: RemoteBlock, keys: StateKeys, { states, codes }: Proven): StateExcerpt {
  const { config, stored, stateRoot, blockHashes } = block;
  const accounts = new Map<string, ExcerptAccount | null>();
  const hashes = new Set(keys.codes);
  for (const [address, slots] of keys.accounts) {
    const proven = states.findAccount(stateRoot, address);
    if (proven === undefined) continue;
    if (proven === null) {
      accounts.set(address, null);
      continue;
    }
    const { account, storageRoot } = proven;
    hashes.add(bytesToHex(account.codeHash));
    const values = new Map<string, Uint8Array>();
    for (const slot of slots) {
      const value = states.findSlot(storageRoot, slot);
      if (value !== undefined) values.set(slot, value);
    }
    accounts.set(address, { account, slots: values });
  }
  const found = new Map<string, Uint8Array>();
  for (const hash of hashes) {
    const code = codes.find(hash);
    if (code !== undefined) found.set(hash, code);
  }
  return { config, block: stored, blockHashes, accounts, codes: found };
}

/**
 * Adds the named parts of a block's state that are not proven.
 * @param missing where it is added
 * @returns whether anything was that was not there yet
 */
export function addMissing(
  keys: StateKeys,
  { stateRoot, blockHashes }: RemoteBlock,
  { states, codes }: Proven,
  missing: StateKeys,
): boolean {
  let isAdded = false;
  for (const [address, slots] of keys.accounts) {
    const proven = states.findAccount(stateRoot, address);
    if (proven === null || (proven?.account.hasStorage === false && slots.size > 0)) continue;
    const unproven = [...slots].filter(
      (slot) => proven === undefined || states.findSlot(proven.storageRoot, slot) === undefined,
    );
    if (proven !== undefined && unproven.length === 0) continue;
    const known = missing.accounts.get(address);
    isAdded ||= known === undefined || unproven.some((slot) => !known.has(slot));
    const own = missing.addAccount(address);
    for (const slot of unproven) own.add(slot);
  }
  for (const hash of keys.codes) {
    if (missing.codes.has(hash) || codes.find(hash) !== undefined) continue;
    missing.codes.add(hash);
    isAdded = true;
  }
  const { oldestHash } = keys;
  if (oldestHash !== undefined && !blockHashes.has(oldestHash)) {
    isAdded ||= missing.oldestHash === undefined || oldestHash < missing.oldestHash;
    missing.addBlockHash(oldestHash);
  }
  return isAdded;
}
