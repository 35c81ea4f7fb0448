/** Recurring event that can be awaited or listened to. */
export class Pulse {
  readonly #listeners = new Set<() => void>();
  #next: Promise<void> | undefined;
  #resolve: (() => void) | undefined;

  /** Returns a promise that resolves at the next event. All calls of `wait` between two events return the same promise. */
  wait(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      this.#resolve = resolve;
    });
    return this.#next;
  }

  /** Calls `listener` at each event. @returns a function that removes the listener */
  listen(listener: () => void): () => void {
    const entry = (): void => listener();
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  fire(): void {
    const resolve = this.#resolve;
    this.#next = undefined;
    this.#resolve = undefined;
    resolve?.();
    for (const listener of this.#listeners) listener();
  }
}

/** Fires a pulse at the end of the current turn of the event loop, once for any number of calls. */
export class PulseSoon {
  readonly #pulse: Pulse;
  #isDue = false;

  constructor(pulse: Pulse) {
    this.#pulse = pulse;
  }

  fire(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#pulse.fire();
    });
  }
}
