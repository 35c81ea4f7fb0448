const SWEEP_MS = 20;

/** Something that is waited for no longer than up to a time. */
export interface Expiring {
  /** Milliseconds on the clock of `performance.now()`; may change at any time. */
  readonly expiresAt: number;
  /** The sweep's own: index of the entry, -1 outside. */
  sweepIndex: number;
  expire(): void;
}

/**
 * One timer for everything that waits: entries that are due are notified. Adding, deleting and moving an
 * expiry cost no timer, and none runs while there are no entries. Entries are kept in an array: a Set with members that
 * change quickly leaves tables behind that keep dead members alive (measured: 5 us of garbage collection a call).
 */
export class ExpirySweep<T extends Expiring> {
  readonly #entries: T[] = [];
  readonly #sweepMs: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param sweepMs how late an expiry may be noticed, milliseconds */
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

  /** Harmless for what is not, or no longer, inside. */
  delete(entry: T): void {
    const index = entry.sweepIndex;
    if (index < 0) return;
    entry.sweepIndex = -1;
    const last = this.#entries.pop();
    if (last === undefined || last === entry) return;
    this.#entries[index] = last;
    last.sweepIndex = index;
  }

  /** The entries at this moment, in no order. */
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
    // After a pause of the whole process, what has arrived meanwhile is read before anything is called late.
    setImmediate(() => {
      for (const entry of this.list()) {
        if (entry.sweepIndex >= 0 && entry.expiresAt <= now) entry.expire();
      }
    });
  }
}
