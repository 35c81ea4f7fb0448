/** Consecutive faults after which the calls are kept away. */
const FAULTS_TO_OPEN = 3;
/** For how long; then one call each time is let through to try. */
const PAUSE_MS = 1_000;

/** Keeps calls away from what has just failed several times in a row. */
export class CircuitBreaker {
  readonly #now: () => number;
  #faults = 0;
  #openUntil = 0;
  #trying = false;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** From the fault that opened it to the next success. */
  get isOpen(): boolean {
    return this.#faults >= FAULTS_TO_OPEN;
  }

  /** May a call be made? While open, one a pause. */
  admit(): boolean {
    if (!this.isOpen) return true;
    if (this.#now() < this.#openUntil) return false;
    this.#startPause();
    this.#trying = true;
    return true;
  }

  succeed(): void {
    this.#faults = 0;
    this.#trying = false;
  }

  /** True when this fault opens it, or ends a try. */
  fail(): boolean {
    this.#faults++;
    if (this.#faults !== FAULTS_TO_OPEN && !this.#trying) return false;
    this.#trying = false;
    this.#startPause();
    return true;
  }

  #startPause(): void {
    this.#openUntil = this.#now() + PAUSE_MS;
  }
}
