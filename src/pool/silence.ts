/** Number of consecutive calls that other nodes answered first after which a node counts as silent. */
const OVERTAKEN_IN_A_ROW = 3;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;

/**
 * Detects a node that does not answer calls that other nodes answer. No caller waits for the answer of a silent node. Copies of calls are sent to a
 * silent node as probes, one at a time, each with the full time limit. Any answer ends the silence, because a slow node is not at fault.
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

  /** Whether the node is silent and a probe has also failed. */
  get isConfirmed(): boolean {
    return this.isSilent && this.#pauseMs > 0;
  }

  /** Records that another node answered a call first. */
  noteOvertaken(): void {
    this.#overtaken++;
  }

  /** Records that the node has sent something. @returns whether this ends a confirmed silence */
  end(): boolean {
    const wasConfirmed = this.isConfirmed;
    this.#overtaken = 0;
    this.#pauseMs = 0;
    this.#nextProbeAt = 0;
    return wasConfirmed;
  }

  /** Whether a probe is due. If a probe is due, it counts as in flight until `endProbe`. */
  takeProbe(): boolean {
    if (!this.isSilent || this.#isProbed || this.#now() < this.#nextProbeAt) return false;
    this.#isProbed = true;
    return true;
  }

  /** Ends a probe. @returns whether this probe is the first one of this silence that the node did not answer */
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
