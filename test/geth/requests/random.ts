/** Seeded random numbers (mulberry32): equal seeds and request numbers give the same request on every machine. */
export class Random {
  #state: number;

  constructor(seed: number, number: number) {
    this.#state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35)) >>> 0;
  }

  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** Returns an integer from 0 to `count - 1`. */
  below(count: number): number {
    return this.#next() % count;
  }

  /** Returns true once in `count` times, on average. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  /** Calls one of several makers. */
  call<T>(...makers: readonly (() => T)[]): T {
    return this.pick(makers)();
  }

  /** Returns lower-case hex digits. */
  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.below(16).toString(16)).join('');
  }

  list<T>(length: number, make: () => T): T[] {
    return Array.from({ length }, make);
  }
}
