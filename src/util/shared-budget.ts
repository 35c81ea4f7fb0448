/** Part of a shared bound that one owner alone may use. The share is above 0 and at most 1. */
export type OwnerShare = number;

/**
 * Bound on a resource that many owners use at the same time, such as bytes, connections or slots. Amounts are taken before use and returned afterwards.
 *
 * An owner may use at most `share / (1 - share)` times the free amount (dynamic threshold, Choudhury and Hahne 1998). With a share of 0.5, one owner
 * alone uses up to half of the bound. Two owners use up to a third of the bound each, and three owners up to a quarter each. With any number of
 * owners, a part of the bound remains free for the next owner. An owner that uses nothing may take any amount that fits.
 */
export class SharedBudget {
  readonly limit: number;
  /** Multiple of the free amount that one owner may use. */
  readonly #factor: number;
  readonly #reserved = new Map<string, number>();
  #used = 0;

  /**
   * @param limit maximum for all owners together
   * @throws RangeError for a negative limit, or a share outside of (0, 1]
   */
  constructor(limit: number, share: OwnerShare) {
    if (!(limit >= 0 && share > 0 && share <= 1))
      throw new RangeError('expected a limit, and a share above 0 up to 1');
    this.limit = limit;
    this.#factor = share === 1 ? Number.POSITIVE_INFINITY : share / (1 - share);
  }

  /** Amount used by all owners. */
  get used(): number {
    return this.#used;
  }

  /** Number of owners that use a non-zero amount. */
  get owners(): number {
    return this.#reserved.size;
  }

  usedBy(owner: string): number {
    return this.#reserved.get(owner) ?? 0;
  }

  /** Whether `tryTake` would succeed. */
  hasRoom(owner: string, amount: number): boolean {
    const free = this.limit - this.#used;
    if (amount > free) return false;
    // Fast path: even if this owner used the whole amount that all owners use, it would not exceed its share.
    if (this.#used + amount <= this.#factor * free) return true;
    const reserved = this.#reserved.get(owner);
    return (
      reserved === undefined ||
      this.#factor === Number.POSITIVE_INFINITY ||
      reserved + amount <= this.#factor * free
    );
  }

  /** Whether `tryTake` would succeed if the owner used nothing. */
  couldHave(owner: string, amount: number): boolean {
    const free = this.limit - this.#used + this.usedBy(owner);
    return amount <= free && amount <= this.#factor * free;
  }

  /** Returns the minimum amount that an owner must return before it has room again. Returns 0 if the owner has room. */
  excessOf(owner: string): number {
    const free = this.limit - this.#used;
    const factor = this.#factor;
    // A returned amount becomes free, and a larger free amount raises the owner's maximum.
    const own = factor === Number.POSITIVE_INFINITY ? 0 : (this.usedBy(owner) - factor * free) / (1 + factor);
    return Math.max(0, -free, own);
  }

  /** Takes `amount` for an owner. If there is no room, takes nothing and returns `false`. */
  tryTake(owner: string, amount: number): boolean {
    if (!this.hasRoom(owner, amount)) return false;
    this.take(owner, amount);
    return true;
  }

  /** Takes `amount` even where there is no room. `take` is for amounts that are already in use and must be counted. */
  take(owner: string, amount: number): void {
    if (amount === 0) return;
    this.#used += amount;
    this.#reserved.set(owner, this.usedBy(owner) + amount);
  }

  /**
   * Returns `amount` of an owner to the budget.
   * @throws RangeError when the owner uses less than `amount`, which means that an amount was returned twice
   */
  giveBack(owner: string, amount: number): void {
    if (amount === 0) return;
    const left = this.usedBy(owner) - amount;
    if (left < 0) throw new RangeError(`${owner} returned more than it had taken`);
    this.#used -= amount;
    if (left === 0) this.#reserved.delete(owner);
    else this.#reserved.set(owner, left);
  }
}
