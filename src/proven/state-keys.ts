/** Names of parts of a state: what an execution reads, or what is missing. All as lower-case `0x` text. */
export class StateKeys {
  /** Slots by account. */
  readonly accounts: Map<string, Set<string>> = new Map();
  /** Hashes. */
  readonly codes: Set<string> = new Set();
  /** Number of the oldest block whose hash is needed. */
  oldestHash: bigint | undefined;

  /** Accounts and slots. */
  get size(): number {
    let size = this.accounts.size;
    for (const slots of this.accounts.values()) size += slots.size;
    return size;
  }

  get isEmpty(): boolean {
    return this.accounts.size === 0 && this.codes.size === 0 && this.oldestHash === undefined;
  }

  /** @returns its slots */
  addAccount(address: string): Set<string> {
    let slots = this.accounts.get(address);
    if (slots === undefined) {
      slots = new Set();
      this.accounts.set(address, slots);
    }
    return slots;
  }

  addBlockHash(number: bigint): void {
    if (this.oldestHash === undefined || number < this.oldestHash) this.oldestHash = number;
  }

  /** Adds what another one has. */
  merge({ accounts, codes, oldestHash }: StateKeys): void {
    for (const [address, slots] of accounts) {
      const own = this.addAccount(address);
      for (const slot of slots) own.add(slot);
    }
    for (const code of codes) this.codes.add(code);
    if (oldestHash !== undefined) this.addBlockHash(oldestHash);
  }
}
