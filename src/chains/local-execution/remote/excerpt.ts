import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import type { AccountState } from '../../../../packages/evm/interpreter/host.ts';
import type { StateExcerpt } from '../../embedded/state/state-excerpt.ts';
import type { StateKeys } from '../proven/state-keys.ts';
import type { BlockState } from '../proven/state-nodes.ts';
import type { StateCache } from '../proven/state-requests.ts';
import type { RemoteBlock } from './remote-block.ts';

/** Number of accounts and slots that one step looks up, in about 30 µs each. */
const KEYS_A_STEP = 32;

type GrowingAccount = { readonly account: AccountState; readonly slots: Map<string, Uint8Array> };

/**
 * Verified values of the keys that a call reads at one block, for an execution thread. The values of one block never change. A restart of the call
 * only adds values.
 */
export class GrowingExcerpt {
  readonly excerpt: StateExcerpt;
  readonly #at: BlockState;
  readonly #accounts = new Map<string, GrowingAccount | null>();
  readonly #codes = new Map<string, Uint8Array>();

  constructor({ config, stored, at, blockHashes }: RemoteBlock) {
    this.#at = at;
    this.excerpt = { config, block: stored, blockHashes, accounts: this.#accounts, codes: this.#codes };
  }

  /**
   * Adds the verified values of `keys`; unverified keys are skipped. Pauses about once per millisecond. Keys whose values were added before are not
   * looked up again.
   */
  *add(keys: StateKeys, { states, codes }: StateCache): Generator<undefined, void> {
    const hashes = new Set(keys.codes);
    let looked = 0;
    for (const [address, slots] of keys.accounts) {
      if (++looked % KEYS_A_STEP === 0) yield;
      const known = this.#findAccount(address, states);
      if (known == null) continue;
      hashes.add(bytesToHex(known.account.codeHash));
      for (const slot of slots) {
        if (known.slots.has(slot)) continue;
        if (++looked % KEYS_A_STEP === 0) yield;
        const value = states.findSlot(this.#at, address, slot);
        if (value !== undefined) known.slots.set(slot, value);
      }
    }
    for (const hash of hashes) {
      if (this.#codes.has(hash)) continue;
      const code = codes.find(hash);
      if (code !== undefined) this.#codes.set(hash, code);
    }
  }

  /** @returns null if the account does not exist; undefined if it is not verified */
  #findAccount(address: string, states: StateCache['states']): GrowingAccount | null | undefined {
    const known = this.#accounts.get(address);
    if (known !== undefined) return known;
    const account = states.findAccount(this.#at, address);
    if (account === undefined) return undefined;
    const added = account && { account, slots: new Map<string, Uint8Array>() };
    this.#accounts.set(address, added);
    return added;
  }
}

/**
 * Adds to `missing` the keys that are not verified at the block, in steps of about a millisecond.
 * @param missing set to which unverified keys are added
 * @param most number of accounts and slots in `missing` above which the search ends
 * @returns whether a new key was added
 */
export function* addMissing(
  keys: StateKeys,
  { at, blockHashes }: RemoteBlock,
  { states, codes }: StateCache,
  missing: StateKeys,
  most: number,
): Generator<undefined, boolean> {
  let isAdded = false;
  let looked = 0;
  let found = missing.size;
  for (const [address, slots] of keys.accounts) {
    if (++looked % KEYS_A_STEP === 0) yield;
    const account = states.findAccount(at, address);
    if (account === null || (account?.hasStorage === false && slots.size > 0)) continue;
    const unproven: string[] = [];
    for (const slot of slots) {
      if (++looked % KEYS_A_STEP === 0) yield;
      if (states.findSlot(at, address, slot) === undefined) unproven.push(slot);
    }
    if (account !== undefined && unproven.length === 0) continue;
    const known = missing.accounts.get(address);
    isAdded ||= known === undefined || unproven.some((slot) => !known.has(slot));
    const own = missing.addAccount(address);
    const before = known === undefined ? -1 : own.size;
    for (const slot of unproven) own.add(slot);
    found += own.size - before;
    if (found > most) return true;
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
