/** What is younger than this part of a half-life counts as of now: an error below a hundredth of a percent. */
const STEP = 1e-4;

/** A moving average in which the weight of a sample halves with every half-life that passes. */
export class Ewma {
  readonly #halfLifeMs: number;
  readonly #now: () => number;
  #sum = 0;
  #weight = 0;
  #decayedAt: number;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(halfLifeMs: number, now: () => number = () => performance.now()) {
    if (!(halfLifeMs > 0)) throw new RangeError('half-life not above 0');
    this.#halfLifeMs = halfLifeMs;
    this.#now = now;
    this.#decayedAt = now();
  }

  /** The average; `byDefault` while there is no sample left to speak of. */
  read(byDefault: number): number {
    this.#decay();
    return this.#weight > Number.EPSILON ? this.#sum / this.#weight : byDefault;
  }

  /** How many samples of this moment the past ones are worth: how much to believe the average. */
  get weight(): number {
    this.#decay();
    return this.#weight;
  }

  /** @param weight how many samples it stands for */
  record(sample: number, weight = 1): void {
    this.#decay();
    this.#sum += sample * weight;
    this.#weight += weight;
  }

  #decay(): void {
    const now = this.#now();
    if (now - this.#decayedAt < STEP * this.#halfLifeMs) return;
    const factor = 2 ** ((this.#decayedAt - now) / this.#halfLifeMs);
    this.#decayedAt = now;
    this.#sum *= factor;
    this.#weight *= factor;
  }
}
