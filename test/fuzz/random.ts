/** A small seeded random number generator (sfc32): equal seeds give the same sequence on every machine. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** Uses the lowest 32 bits of each seed. */
  constructor(seed: number, index: number, stream: number) {
    this.#a = seed | 0;
    this.#b = index | 0;
    this.#c = stream | 0;
    for (let i = 0; i < 12; i++) this.next();
  }

  /** Returns an integer from 0 to 2^32 - 1. */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** Returns an integer from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor((this.next() / 0x1_0000_0000) * limit);
  }

  /** Returns an integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** Returns true once in `times`, on average. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  /** Picks a choice with a probability proportional to its weight. */
  pickWeighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let total = 0;
    for (const [weight] of choices) total += weight;
    let rest = this.below(total);
    for (const [weight, choice] of choices) {
      if (rest < weight) return choice;
      rest -= weight;
    }
    throw new RangeError('nothing to pick from');
  }

  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let i = 0; i < length; i++) bytes[i] = this.next() >>> 24;
    return bytes;
  }
}
