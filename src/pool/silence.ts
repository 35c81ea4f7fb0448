/** Number of consecutive calls that others answered first, after which this node is silent. */
const OVERTAKEN_IN_A_ROW = 3;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;

/**
 * Detects a node that leaves calls unanswered that other nodes answer. A slow node is not at fault, so any answer ends the silence; until then no
 * caller waits for the node, and one call at a time is a probe: it is also sent to the node, which has its full time for it.
 */
export class Silence {
  readonly #now: () => number;
  #overtaken = 0;
  #isProbed = false;
  #nextProbeAt = 0;
  #pauseMs = 0;

  /** @param now monotonic clock, milliseconds */
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

  /** Records that another node answered a call first. */
  noteOvertaken(): void {
    this.#overtaken++;
  }

  /** Records that something arrived from the node. @returns whether that ends a confirmed silence */
  end(): boolean {
    const wasConfirmed = this.isConfirmed;
    this.#overtaken = 0;
    this.#pauseMs = 0;
    this.#nextProbeAt = 0;
    return wasConfirmed;
  }

  /** Whether a probe is due; it counts as in flight until `endProbe`. */
  takeProbe(): boolean {
    if (!this.isSilent || this.#isProbed || this.#now() < this.#nextProbeAt) return false;
    this.#isProbed = true;
    return true;
  }

  /** @returns whether this is the first probe without an answer */
  endProbe(): boolean {
    this.#isProbed = false;
    if (!this.isSilent) return false;
    const isFirst = this.#pauseMs === 0;
    this.#pauseMs = Math.min(isFirst ? FIRST_PAUSE_MS : 2 * this.#pauseMs, MAX_PAUSE_MS);
    this.#nextProbeAt = this.#now() + this.#pauseMs;
    return isFirst;
  }

  /** Makes the next probe due now. */
  encourage(): void {
    this.#nextProbeAt = 0;
  }
}
