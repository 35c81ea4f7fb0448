/** A shared bound on memory: bytes are taken before they are held and given back afterwards. */
export class ByteBudget {
  readonly #limit: number;
  #used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  /** Takes `bytes`, or takes nothing and says `false`. */
  tryTake(bytes: number): boolean {
    if (this.#used + bytes > this.#limit) return false;
    this.#used += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#used = Math.max(0, this.#used - bytes);
  }
}
