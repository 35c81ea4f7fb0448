/** The part of a shared bound that one owner alone may hold, above 0 and at most 1. */
export type OwnerShare = number;

/**
 * A bound on something that many owners use at the same time: bytes, connections, places. Amounts are taken before they
 * are used and given back afterwards.
 *
 * An owner may hold at most `share / (1 - share)` times what is still free (dynamic threshold, Choudhury and Hahne 1998).
 * With a share of 0.5 one owner alone holds up to half, two a third each, three a quarter: whatever their number,
 * something is left for the next one. An owner that holds nothing may take whatever fits.
 */
export class SharedBudget {
  readonly limit: number;
  /** Of what is free: how many times that an owner may hold. */
  readonly #factor: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  /** @param limit of all owners together */
  constructor(limit: number, share: OwnerShare) {
    if (!(limit >= 0 && share > 0 && share <= 1))
      throw new RangeError('expected a limit, and a share above 0 up to 1');
    this.limit = limit;
    this.#factor = share === 1 ? Number.POSITIVE_INFINITY : share / (1 - share);
  }

  /** What all owners hold. */
  get used(): number {
    return this.#used;
  }

  /** Owners that hold something. */
  get owners(): number {
    return this.#held.size;
  }

  usedBy(owner: string): number {
    return this.#held.get(owner) ?? 0;
  }

  /** Whether `tryTake` would succeed. */
  hasRoom(owner: string, amount: number): boolean {
    const free = this.limit - this.#used;
    if (amount > free) return false;
    // Not even an owner of all that is held would hold too much.
    if (this.#used + amount <= this.#factor * free) return true;
    const held = this.#held.get(owner);
    return (
      held === undefined || this.#factor === Number.POSITIVE_INFINITY || held + amount <= this.#factor * free
    );
  }

  /** Whether `tryTake` would succeed if the owner held nothing. */
  couldHave(owner: string, amount: number): boolean {
    const free = this.limit - this.#used + this.usedBy(owner);
    return amount <= free && amount <= this.#factor * free;
  }

  /** The least that an owner has to give back before it has room for anything; 0 where it has. */
  excessOf(owner: string): number {
    const free = this.limit - this.#used;
    const factor = this.#factor;
    // What is given back is free then, so that more may be held.
    const own = factor === Number.POSITIVE_INFINITY ? 0 : (this.usedBy(owner) - factor * free) / (1 + factor);
    return Math.max(0, -free, own);
  }

  /** Takes `amount` for an owner, or takes nothing and says `false`. */
  tryTake(owner: string, amount: number): boolean {
    if (!this.hasRoom(owner, amount)) return false;
    this.take(owner, amount);
    return true;
  }

  /** Takes `amount` even where there is no room: for what exists already and has to be counted. */
  take(owner: string, amount: number): void {
    if (amount === 0) return;
    this.#used += amount;
    this.#held.set(owner, this.usedBy(owner) + amount);
  }

  /** @throws RangeError when the owner does not hold so much: an amount was given back twice */
  giveBack(owner: string, amount: number): void {
    if (amount === 0) return;
    const left = this.usedBy(owner) - amount;
    if (left < 0) throw new RangeError(`${owner} gives back more than it holds`);
    this.#used -= amount;
    if (left === 0) this.#held.delete(owner);
    else this.#held.set(owner, left);
  }
}
