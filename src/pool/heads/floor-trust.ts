/** Time limit for the nodes of this process to confirm a height of another process, ms. */
export const UNCONFIRMED_LIMIT_MS = 30_000;

export type FloorTrustOptions = {
  /** Time within which the nodes of this process must confirm a height, so that other processes are trusted again, ms. */
  readonly promptMs: number;
  /** Called when a height was not confirmed in time: from now on, this process does not wait for others. */
  readonly onLost: (height: bigint) => void;
  /** Called when this process waits for others again. */
  readonly onRegained: () => void;
};

/**
 * Decides whether this process waits for heights of other processes. Trust is lost if the own nodes have not confirmed such a height for
 * `UNCONFIRMED_LIMIT_MS`, and regained if they confirm a height promptly, or if no height is above the own head. Only one height is watched at a
 * time: a process that is ahead by a constant number of blocks, each of which is confirmed too late, then stays distrusted.
 */
export class FloorTrust {
  readonly #options: FloorTrustOptions;
  #watched: { readonly height: bigint; readonly since: number } | undefined;
  #isLost = false;

  constructor(options: FloorTrustOptions) {
    this.#options = options;
  }

  /**
   * Whether to wait for the floor of other processes.
   * @param floor height that other processes serve
   * @param own height of the own head
   * @param now clock ms
   */
  isTrusted(floor: bigint, own: bigint, now: number): boolean {
    this.noteOwn(own, now);
    if (floor <= own) {
      this.#watched = undefined;
      this.#regain();
      return true;
    }
    const since = this.#watched?.since ?? now;
    // If the floor falls, the lower height inherits the start time of the higher one.
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
