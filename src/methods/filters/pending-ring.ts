import type { NetworkFeed } from '../../feed/feed.ts';
import { type Clock, systemClock } from '../../util/clock.ts';
import { steadyTime } from '../../util/steady-time.ts';

/** Capacity in hashes. A busy network announces as many hashes within a few minutes. */
const CAPACITY = 16_384;
/** Time increment for hashes that arrive within one millisecond, ms. With the increment, each hash has a unique time. */
const STEP_MS = 2 ** -10;

type Seen = { readonly hash: string; readonly at: number };

/**
 * Ring of the latest pending transactions that this process has seen, each with its arrival time. The ring watches the feed from the first request
 * on. The ring stops watching after `idleMs` without requests.
 */
export class PendingRing {
  readonly #idleMs: number;
  readonly #clock: Clock;
  readonly #now: () => number;
  #seen: Seen[] = [];
  #lastAt = 0;
  #requestedAt = 0;
  #stop: (() => void) | undefined;

  /**
   * @param idleMs time without a request after which the ring stops watching, ms
   * @param now clock in Unix ms, because other processes compare these times with their own clocks
   */
  constructor(idleMs: number, clock: Clock = systemClock, now: () => number = steadyTime) {
    this.#idleMs = idleMs;
    this.#clock = clock;
    this.#now = now;
  }

  get isWatching(): boolean {
    return this.#stop !== undefined;
  }

  /**
   * Starts watching the feed, or continues to watch.
   * @returns the current time; transactions that arrive later are new. The result is undefined where the network announces no pending transactions.
   */
  watch(feed: NetworkFeed): number | undefined {
    this.#requestedAt = this.#clock.now();
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
   * Returns up to `limit` hashes that arrived after `since`, and the arrival time of the last one. If a process with a fast clock has stored a
   * `since` in the future, the current time is used instead of `since`.
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
    // Trimming once per `CAPACITY` additions is cheaper than trimming at each addition.
    if (this.#seen.length > 2 * CAPACITY) this.#seen = this.#seen.slice(-CAPACITY);
  }

  #endWhenIdle(afterMs: number): void {
    this.#clock.schedule(() => {
      const idleMs = this.#clock.now() - this.#requestedAt;
      if (idleMs < this.#idleMs) return this.#endWhenIdle(this.#idleMs - idleMs);
      this.#stop?.();
      this.#stop = undefined;
      this.#seen = [];
    }, afterMs);
  }
}
