import type { HeadReads } from '../chain/chain.ts';
import type { Clock } from '../util/clock.ts';
import { Lru } from '../util/lru.ts';
import type { SlotScheduler } from '../util/slot-scheduler.ts';

/**
 * Maximum number of queued announcements. Further announcements replace the oldest, because pending transactions are reported on a best-effort basis.
 */
const MAX_WAITING = 64;
const KNOWN_MS = 10 * 60_000;
const LISTENERS_A_SLICE = 16;

type PendingListener = (hashes: readonly string[]) => void;

/** Reports pending transactions, each hash once. The chain is watched only while there are listeners. */
export class PendingFeed {
  readonly #heads: Pick<HeadReads, 'watchPending'>;
  readonly #slots: Pick<SlotScheduler, 'run'>;
  readonly #owner: string;
  readonly #known: Lru<string, true>;
  /** Each registration has its own object, so that a function may be registered twice. */
  readonly #listeners = new Set<{ readonly listener: PendingListener }>();
  #unwatch: (() => void) | undefined;
  #waiting: (readonly string[])[] = [];
  #isServing = false;

  constructor(
    heads: Pick<HeadReads, 'watchPending'>,
    {
      clock,
      slots,
      owner,
      maxHashes,
    }: {
      readonly clock: Clock;
      readonly slots: Pick<SlotScheduler, 'run'>;
      readonly owner: string;
      readonly maxHashes: number;
    },
  ) {
    this.#heads = heads;
    this.#slots = slots;
    this.#owner = owner;
    this.#known = new Lru(maxHashes, KNOWN_MS, () => clock.now());
  }

  /** Registers a listener. @returns a function that removes the listener; undefined if the chain announces no pending transactions */
  watch(listener: PendingListener): (() => void) | undefined {
    this.#unwatch ??= this.#heads.watchPending((hashes) => this.#receive(hashes));
    if (this.#unwatch === undefined) return undefined;
    const entry = { listener };
    this.#listeners.add(entry);
    return () => this.#remove(entry);
  }

  close(): void {
    this.#listeners.clear();
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#waiting = [];
    this.#known.clear();
  }

  #remove(entry: { readonly listener: PendingListener }): void {
    if (this.#listeners.delete(entry) && this.#listeners.size === 0) this.close();
  }

  #receive(hashes: readonly string[]): void {
    const fresh = hashes.filter((hash) => {
      if (this.#known.get(hash) !== undefined) return false;
      this.#known.set(hash, true);
      return true;
    });
    if (fresh.length === 0) return;
    this.#waiting.push(fresh);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    if (this.#isServing) return;
    this.#isServing = true;
    const served = this.#slots.run(this.#owner, this.#serve());
    if (served instanceof Promise) void served;
  }

  *#serve(): Generator<undefined, void> {
    for (let hashes = this.#waiting.shift(); hashes !== undefined; hashes = this.#waiting.shift()) {
      let served = 0;
      for (const entry of this.#listeners) {
        try {
          entry.listener(hashes);
        } catch {
          this.#remove(entry);
        }
        if (++served % LISTENERS_A_SLICE === 0) yield;
      }
    }
    this.#isServing = false;
  }
}
