import type { NetworkFeed } from '../../feed/feed.ts';
import { type Clock, systemClock } from '../../util/clock.ts';
import { steadyTime } from '../../util/steady-time.ts';

/** Hashes that are kept: some minutes of a busy network. */
const CAPACITY = 16_384;
/** Between two times at one millisecond, so that each hash has one of its own. */
const STEP_MS = 2 ** -10;

type Seen = { readonly hash: string; readonly at: number };

/**
 * Transactions that wait for a block, as this process hears of them: the last ones, each with the time. They are watched from the first
 * question on, as long as there are questions.
 */
export class PendingRing {
  readonly #idleMs: number;
  readonly #clock: Clock;
  readonly #now: () => number;
  #seen: Seen[] = [];
  #lastAt = 0;
  #askedAt = 0;
  #stop: (() => void) | undefined;

  /**
   * @param idleMs without a question after which they are not watched any more
   * @param now Unix milliseconds: other processes compare them with theirs
   */
  constructor(idleMs: number, clock: Clock = systemClock, now: () => number = steadyTime) {
    this.#idleMs = idleMs;
    this.#clock = clock;
    this.#now = now;
  }

  get isWatching(): boolean {
    return this.#stop !== undefined;
  }

  /** @returns now, as the time behind which what comes is new; undefined where the network has no such transactions */
  watch(feed: NetworkFeed): number | undefined {
    this.#askedAt = this.#clock.now();
    if (this.#stop === undefined) {
      const stop = feed.watchPending((hashes) => this.#add(hashes));
      if (stop === undefined) return undefined;
      this.#stop = stop;
      this.#endWhenIdle(this.#idleMs);
    }
    this.#lastAt = Math.max(this.#now(), this.#lastAt);
    return this.#lastAt;
  }

  /**
   * Reads the first hashes that came after a time, with the time of the last of them. A time in the future, which a process with a
   * clock ahead wrote, counts as now.
   */
  read(since: number, limit: number): { readonly hashes: readonly string[]; readonly last: number } {
    const from = Math.min(since, Math.max(this.#now(), this.#lastAt));
    let first = this.#seen.length;
    while (first > 0 && (this.#seen[first - 1] as Seen).at > from) first--;
    const found = this.#seen.slice(Math.max(first, this.#seen.length - CAPACITY)).slice(0, limit);
    return { hashes: found.map(({ hash }) => hash), last: found.at(-1)?.at ?? from };
  }

  #add(hashes: readonly string[]): void {
    for (const hash of hashes) {
      this.#lastAt = Math.max(this.#now(), this.#lastAt + STEP_MS);
      this.#seen.push({ hash, at: this.#lastAt });
    }
    // Seldom, not at each hash.
    if (this.#seen.length > 2 * CAPACITY) this.#seen = this.#seen.slice(-CAPACITY);
  }

  #endWhenIdle(afterMs: number): void {
    this.#clock.schedule(() => {
      const idleMs = this.#clock.now() - this.#askedAt;
      if (idleMs < this.#idleMs) return this.#endWhenIdle(this.#idleMs - idleMs);
      this.#stop?.();
      this.#stop = undefined;
      this.#seen = [];
    }, afterMs);
  }
}
