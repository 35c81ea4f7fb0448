import type { NetworkFeed } from '../../feed/feed.ts';
import { type Clock, systemClock } from '../../util/clock.ts';
import { steadyTime } from '../../util/steady-time.ts';

/** Capacity in hashes: some minutes of a busy network. */
const CAPACITY = 16_384;
/** Increment within one millisecond, so that each hash has a unique time. */
const STEP_MS = 2 ** -10;

type Seen = { readonly hash: string; readonly at: number };

/**
 * Ring of the latest pending transactions that this process has seen, each with its time. It watches the feed from the first request on, and
 * stops after a time without requests.
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
   * @param idleMs time without a request after which watching stops, ms
   * @param now Unix ms: other processes compare these times with their own
   */
  constructor(idleMs: number, clock: Clock = systemClock, now: () => number = steadyTime) {
    this.#idleMs = idleMs;
    this.#clock = clock;
    this.#now = now;
  }

  get isWatching(): boolean {
    return this.#stop !== undefined;
  }

  /** Starts or keeps watching. @returns the current time, after which arriving transactions are new; undefined where the network announces none */
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
   * Returns up to `limit` hashes that arrived after `since`, with the time of the last one. A future time, written by a process with a fast
   * clock, counts as now.
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
    // Trims once per `CAPACITY` additions instead of at each one.
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
