/** Number of consecutive faults that open the breaker. */
const FAULTS_TO_OPEN = 3;
/** Interval between trial calls while the breaker is open, ms. */
const PAUSE_MS = 1_000;

/** Suspends calls after several consecutive faults. */
export class CircuitBreaker {
  readonly #now: () => number;
  #faults = 0;
  #openUntil = 0;
  #trying = false;

  /** @param now monotonic clock, ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether the breaker is open. Consecutive faults open the breaker, and the next success closes it. */
  get isOpen(): boolean {
    return this.#faults >= FAULTS_TO_OPEN;
  }

  /** Whether a call may be made. While the breaker is open, one call per interval is admitted. */
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

  /** Records a fault. @returns true if the fault opens the breaker, or ends a trial */
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
