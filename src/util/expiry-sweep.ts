/** How late an expiry may be noticed. */
const SWEEP_MS = 20;

/** Something that is waited for no longer than up to a time. */
export interface Expiring {
  /** Milliseconds on the clock of `performance.now()`; may change at any time. */
  readonly expiresAt: number;
  expire(): void;
}

/**
 * One timer for everything that waits: entries whose time has come are told so. Adding, deleting and moving an
 * expiry cost no timer, and none runs while there are no entries.
 */
export class ExpirySweep<T extends Expiring> {
  readonly #entries = new Set<T>();
  #timer: NodeJS.Timeout | undefined;

  get size(): number {
    return this.#entries.size;
  }

  add(entry: T): void {
    this.#entries.add(entry);
    this.#timer ??= setInterval(() => this.#tick(), SWEEP_MS);
  }

  delete(entry: T): void {
    this.#entries.delete(entry);
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#entries.values();
  }

  #tick(): void {
    if (this.#entries.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const now = performance.now();
    // After a pause of the whole process, what has arrived meanwhile is read before anything is called late.
    setImmediate(() => {
      for (const entry of this.#entries) if (entry.expiresAt <= now) entry.expire();
    });
  }
}
