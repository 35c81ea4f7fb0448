/** Set of state keys: accounts, slots, code hashes and block numbers, for example those that an execution reads. Keys are lower-case `0x` text. */
export class StateKeys {
  /** Slots by account. */
  readonly accounts: Map<string, Set<string>> = new Map();
  /** Code hashes. */
  readonly codes: Set<string> = new Set();
  /** Numbers of earlier blocks whose hashes an execution reads with BLOCKHASH. */
  readonly blockNumbers: Set<bigint> = new Set();

  /** Number of accounts and slots. */
  get size(): number {
    let size = this.accounts.size;
    for (const slots of this.accounts.values()) size += slots.size;
    return size;
  }

  get isEmpty(): boolean {
    return this.accounts.size === 0 && this.codes.size === 0 && this.blockNumbers.size === 0;
  }

  /** Adds an account. @returns the account's set of slots, to which the caller may add */
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

  /** Adds all keys of another set. */
  merge({ accounts, codes, blockNumbers }: StateKeys): void {
    for (const [address, slots] of accounts) {
      const own = this.addAccount(address);
      for (const slot of slots) own.add(slot);
    }
    for (const code of codes) this.codes.add(code);
    for (const number of blockNumbers) this.addBlockHash(number);
  }
}
