/** Number of consecutive calls that other nodes answered first; after them, this node counts as silent. */
const OVERTAKEN_IN_A_ROW = 3;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;

/**
 * Detects a node that does not answer calls that other nodes answer. A slow node is not at fault, so any answer ends the silence. Until then, no
 * caller waits for the node. One call at a time is a probe: a copy of it is sent to the node, which has the full time to answer the copy.
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

  /** Whether the node did not answer a probe either. */
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

  /** Whether a probe is due; if so, it counts as in flight until `endProbe`. */
  takeProbe(): boolean {
    if (!this.isSilent || this.#isProbed || this.#now() < this.#nextProbeAt) return false;
    this.#isProbed = true;
    return true;
  }

  /** Ends a probe. @returns whether it is the first probe without an answer */
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
