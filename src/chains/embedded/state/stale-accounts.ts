import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';

/** An account and its slots whose trie leaves are outdated. */
export type StaleAccount = {
  readonly address: Uint8Array;
  /** True if the account's storage was cleared. The whole storage trie must then be rebuilt from `slots`. */
  isStorageCleared: boolean;
  readonly slots: Map<string, Uint8Array>;
};

/** Accounts and slots that changed since the tries were last updated. */
export class StaleAccounts {
  readonly #accounts = new Map<string, StaleAccount>();

  mark(address: Uint8Array): StaleAccount {
    const key = bytesToHex(address);
    let stale = this.#accounts.get(key);
    if (stale === undefined) {
      stale = { address, isStorageCleared: false, slots: new Map() };
      this.#accounts.set(key, stale);
    }
    return stale;
  }

  /** Adds the stale accounts and slots of later changes. */
  absorb(later: StaleAccounts): void {
    for (const { address, isStorageCleared, slots } of later) {
      const stale = this.mark(address);
      if (isStorageCleared) clearStale(stale);
      for (const [key, slot] of slots) stale.slots.set(key, slot);
    }
  }

  [Symbol.iterator](): IterableIterator<StaleAccount> {
    return this.#accounts.values();
  }

  clear(): void {
    this.#accounts.clear();
  }
}

/** Marks all existing storage of the account as destroyed. */
export function clearStale(stale: StaleAccount): void {
  stale.isStorageCleared = true;
  stale.slots.clear();
}
