/** Time after which a height of another process that the nodes of this process do not confirm ends the trust, ms. */
export const UNCONFIRMED_LIMIT_MS = 30_000;

export type FloorTrustOptions = {
  /** If the nodes of this process confirm a height within this time, ms, other processes are trusted again. */
  readonly promptMs: number;
  /** Called when a height was not confirmed in time. From then on, this process does not wait for other processes. */
  readonly onLost: (height: bigint) => void;
  /** Called when this process waits for other processes again. */
  readonly onRegained: () => void;
};

/**
 * Decides whether this process waits for heights of other processes. Trust is lost if this process's nodes do not confirm such a height within
 * `UNCONFIRMED_LIMIT_MS`. It is regained if they confirm a height within `promptMs`, or if no height is above this process's head. Only one height is
 * watched at a time, so a process that stays ahead by a constant number of blocks, each confirmed too slowly, remains distrusted.
 */
export class FloorTrust {
  readonly #options: FloorTrustOptions;
  #watched: { readonly height: bigint; readonly since: number } | undefined;
  #isLost = false;

  constructor(options: FloorTrustOptions) {
    this.#options = options;
  }

  /**
   * Whether this process should wait until its head reaches the floor, the height that other processes serve.
   * @param floor height that other processes serve
   * @param own height of this process's head
   * @param now ms of `Clock.now()`
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

  /** Must be called when the head of this process has changed. */
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
