/** Names of parts of a state: what an execution reads, or what is missing. All as lower-case `0x` text. */
export class StateKeys {
  /** Slots by account. */
  readonly accounts: Map<string, Set<string>> = new Map();
  /** Hashes. */
  readonly codes: Set<string> = new Set();
  /** Numbers of older blocks of which the hashes are needed. */
  readonly blockNumbers: Set<bigint> = new Set();

  /** Accounts and slots. */
  get size(): number {
    let size = this.accounts.size;
    for (const slots of this.accounts.values()) size += slots.size;
    return size;
  }

  get isEmpty(): boolean {
    return this.accounts.size === 0 && this.codes.size === 0 && this.blockNumbers.size === 0;
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
    this.blockNumbers.add(number);
  }

  /** Adds what another one has. */
  merge({ accounts, codes, blockNumbers }: StateKeys): void {
    for (const [address, slots] of accounts) {
      const own = this.addAccount(address);
      for (const slot of slots) own.add(slot);
    }
    for (const code of codes) this.codes.add(code);
    for (const number of blockNumbers) this.addBlockHash(number);
  }
}
