/** How long a height of another process is waited for while the own nodes do not confirm it, milliseconds. */
export const UNCONFIRMED_LIMIT_MS = 30_000;

export type FloorTrustOptions = {
  /** In this time the own nodes confirm what is believed again, milliseconds. */
  readonly promptMs: number;
  /** A height was not confirmed in time: other processes are not waited for from now on. */
  readonly onLost: (height: bigint) => void;
  /** They are waited for again. */
  readonly onRegained: () => void;
};

/**
 * Decides whether the heights of other processes are waited for: not from when the own nodes have not confirmed one of them for
 * `UNCONFIRMED_LIMIT_MS`, until they confirm one promptly, or none is above the own head. One height is watched at a time, so
 * that a process that is ahead by a constant number of blocks, all of which are confirmed too late, stays distrusted.
 */
export class FloorTrust {
  readonly #options: FloorTrustOptions;
  #watched: { readonly height: bigint; readonly since: number } | undefined;
  #isLost = false;

  constructor(options: FloorTrustOptions) {
    this.#options = options;
  }

  /** Whether a floor of other processes is waited for where the own head has this height. */
  isTrusted(floor: bigint, own: bigint, now: number): boolean {
    this.noteOwn(own, now);
    if (floor <= own) {
      this.#watched = undefined;
      this.#regain();
      return true;
    }
    const since = this.#watched?.since ?? now;
    // A floor that has fallen is waited for no longer than the one before.
    if (this.#watched === undefined || floor < this.#watched.height) this.#watched = { height: floor, since };
    if (!this.#isLost && now - since >= UNCONFIRMED_LIMIT_MS) {
      this.#isLost = true;
      this.#options.onLost(this.#watched.height);
    }
    return !this.#isLost;
  }

  /** To be called when the own head has changed. */
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
