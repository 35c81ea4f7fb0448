/** Time limit for this process's own nodes to confirm a height of another process, milliseconds. */
export const UNCONFIRMED_LIMIT_MS = 30_000;

export type FloorTrustOptions = {
  /** Time within which the own nodes must confirm a height so that other processes are trusted again, milliseconds. */
  readonly promptMs: number;
  /** Called when a height was not confirmed in time: other processes are not waited for from now on. */
  readonly onLost: (height: bigint) => void;
  /** Called when other processes are waited for again. */
  readonly onRegained: () => void;
};

/**
 * Decides whether heights of other processes are waited for. Trust is lost when the own nodes have not confirmed one of them for `UNCONFIRMED_LIMIT_MS`, and
 * regained when they confirm one promptly, or when none is above the own head. One height is watched at a time, so that a process that is ahead by a constant
 * number of blocks, all of them confirmed too late, stays distrusted.
 */
export class FloorTrust {
  readonly #options: FloorTrustOptions;
  #watched: { readonly height: bigint; readonly since: number } | undefined;
  #isLost = false;

  constructor(options: FloorTrustOptions) {
    this.#options = options;
  }

  /**
   * Whether to wait for a floor of other processes.
   * @param floor height that other processes serve
   * @param own height of the own head
   * @param now clock milliseconds
   */
  isTrusted(floor: bigint, own: bigint, now: number): boolean {
    this.noteOwn(own, now);
    if (floor <= own) {
      this.#watched = undefined;
      this.#regain();
      return true;
    }
    const since = this.#watched?.since ?? now;
    // A floor that has fallen inherits the start time of the one before.
    if (this.#watched === undefined || floor < this.#watched.height) this.#watched = { height: floor, since };
    if (!this.#isLost && now - since >= UNCONFIRMED_LIMIT_MS) {
      this.#isLost = true;
      this.#options.onLost(this.#watched.height);
    }
    return !this.#isLost;
  }

  /** Must be called when the own head has changed. */
  noteOwn(own: bigint, now: number): void {
    if (this.#watched === undefined || own < this.#watched.height) return;
    const isPrompt = now - this.#watched.since <= this.#options.promptMs;
    this.#watched = undefined;
    if (isPrompt) this.#regain();
  }

  #regain(): void {
    if (!this.#isLost) return;
    this.#isLost = false;
    this.#options.onRegained();
  }
}
