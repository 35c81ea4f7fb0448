/**
 * Maximum time, ms, in which the nodes of this process must confirm a height of another process; after this time, other processes are no longer
 * trusted.
 */
export const UNCONFIRMED_LIMIT_MS = 30_000;

export type FloorTrustOptions = {
  /** Maximum time, ms, in which this process's nodes must confirm a height so that other processes are trusted again. */
  readonly promptMs: number;
  /** Called when a height was not confirmed in time. After this call, this process no longer waits for other processes. */
  readonly onLost: (height: bigint) => void;
  /** Called when this process waits for other processes again. */
  readonly onRegained: () => void;
};

/**
 * Decides whether this process waits for heights of other processes. Other processes are no longer trusted if the nodes of this process do not
 * confirm a height of another process within `UNCONFIRMED_LIMIT_MS`. Other processes are trusted again if the nodes confirm a height within
 * `promptMs`, or if no other process serves a greater height than this process. Only one height is watched at a time. A process that stays ahead by a
 * constant number of blocks, each of which is confirmed too slowly, is therefore not trusted again.
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
    // If the floor has fallen, the lower floor is watched from the time at which the higher one was first seen.
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
