/** Calls in a row that others answered while this node had not. */
const OVERTAKEN_IN_A_ROW = 3;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;

/**
 * Whether a node leaves calls unanswered that other nodes answer. Being slow is no fault, so anything that it answers ends this; until then no caller
 * waits for it, and one call at a time is a probe: it is sent to the node as well, which has its full time for it.
 */
export class Silence {
  readonly #now: () => number;
  #overtaken = 0;
  #isProbed = false;
  #nextProbeAt = 0;
  #pauseMs = 0;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get isSilent(): boolean {
    return this.#overtaken >= OVERTAKEN_IN_A_ROW;
  }

  /** Whether a probe was not answered either. */
  get isConfirmed(): boolean {
    return this.isSilent && this.#pauseMs > 0;
  }

  /** Another node answered a call first. */
  noteOvertaken(): void {
    this.#overtaken++;
  }

  /** Something came from the node. @returns whether that ends a silence that was confirmed */
  end(): boolean {
    const wasConfirmed = this.isConfirmed;
    this.#overtaken = 0;
    this.#pauseMs = 0;
    this.#nextProbeAt = 0;
    return wasConfirmed;
  }

  /** Whether a probe is due: it counts as under way until `endProbe`. */
  takeProbe(): boolean {
    if (!this.isSilent || this.#isProbed || this.#now() < this.#nextProbeAt) return false;
    this.#isProbed = true;
    return true;
  }

  /** @returns whether this is the first one without an answer */
  endProbe(): boolean {
    this.#isProbed = false;
    if (!this.isSilent) return false;
    const isFirst = this.#pauseMs === 0;
    this.#pauseMs = Math.min(isFirst ? FIRST_PAUSE_MS : 2 * this.#pauseMs, MAX_PAUSE_MS);
    this.#nextProbeAt = this.#now() + this.#pauseMs;
    return isFirst;
  }

  /** The next probe is due now. */
  encourage(): void {
    this.#nextProbeAt = 0;
  }
}
