import { bytesToHex } from '../../primitives/hex.ts';

/** An account and slots with leaves that are not yet updated in the tries. */
export type StaleAccount = {
  readonly address: Uint8Array;
  /** Its storage trie has nothing in common with the one that the trie knows. */
  isStorageCleared: boolean;
  readonly slots: Map<string, Uint8Array>;
};

/** What changed since the tries were brought up to date. */
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

  /** Adds what changed later. */
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

/** All storage that the account had is gone. */
export function clearStale(stale: StaleAccount): void {
  stale.isStorageCleared = true;
  stale.slots.clear();
}
