/** Part of a half-life within which samples do not decay. The resulting error is below a hundredth of a percent. */
const STEP = 1e-4;

/** Exponentially weighted moving average. The weight of a sample halves with every half-life. */
export class Ewma {
  readonly #halfLifeMs: number;
  readonly #now: () => number;
  #sum = 0;
  #weight = 0;
  #decayedAt: number;

  /**
   * @param now a monotonic clock in milliseconds
   * @throws RangeError for a half-life that is not above 0
   */
  constructor(halfLifeMs: number, now: () => number = () => performance.now()) {
    if (!(halfLifeMs > 0)) throw new RangeError('the half-life must be above 0');
    this.#halfLifeMs = halfLifeMs;
    this.#now = now;
    this.#decayedAt = now();
  }

  /** Returns the average. Returns `byDefault` where there are no samples, or their weight has decayed to nothing. */
  read(byDefault: number): number {
    this.#decay();
    return this.#weight > Number.EPSILON ? this.#sum / this.#weight : byDefault;
  }

  /** Sum of the decayed weights, where a current sample has weight 1. The weight shows how reliable the average is. */
  get weight(): number {
    this.#decay();
    return this.#weight;
  }

  /**
   * Records a sample.
   * @param weight number of samples that this sample represents
   */
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
