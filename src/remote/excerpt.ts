import type { ExcerptAccount, StateExcerpt } from '../engine/state/state-excerpt.ts';
import { bytesToHex } from '../primitives/hex.ts';
import type { StateKeys } from '../proven/state-keys.ts';
import type { Proven } from '../proven/state-requests.ts';
import type { RemoteBlock } from './remote-block.ts';

/** Accounts and slots that are looked for in a millisecond: some 30 µs each, down the tries. */
const KEYS_A_STEP = 32;

/** The proven ones among the named parts of a block's state, for a thread. */
export function createExcerpt(block: RemoteBlock, keys: StateKeys, { states, codes }: Proven): StateExcerpt {
  const { config, stored, at, blockHashes } = block;
  const accounts = new Map<string, ExcerptAccount | null>();
  const hashes = new Set(keys.codes);
  for (const [address, slots] of keys.accounts) {
    const account = states.findAccount(at, address);
    if (account === undefined) continue;
    if (account === null) {
      accounts.set(address, null);
      continue;
    }
    hashes.add(bytesToHex(account.codeHash));
    const values = new Map<string, Uint8Array>();
    for (const slot of slots) {
      const value = states.findSlot(at, address, slot);
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
 * Adds the named parts of a block's state that are not proven, in steps of about a millisecond.
 * @param missing where it is added
 * @returns whether anything was that was not there yet
 */
export function* addMissing(
  keys: StateKeys,
  { at, blockHashes }: RemoteBlock,
  { states, codes }: Proven,
  missing: StateKeys,
): Generator<undefined, boolean> {
  let isAdded = false;
  let looked = 0;
  for (const [address, slots] of keys.accounts) {
    looked += 1 + slots.size;
    if (looked >= KEYS_A_STEP) {
      looked = 0;
      yield;
    }
    const account = states.findAccount(at, address);
    if (account === null || (account?.hasStorage === false && slots.size > 0)) continue;
    const unproven = [...slots].filter((slot) => states.findSlot(at, address, slot) === undefined);
    if (account !== undefined && unproven.length === 0) continue;
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
  for (const number of keys.blockNumbers) {
    if (missing.blockNumbers.has(number) || blockHashes.has(number)) continue;
    missing.addBlockHash(number);
    isAdded = true;
  }
  return isAdded;
}
