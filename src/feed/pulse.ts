/** Something that happens again and again, to be waited for or listened to. */
export class Pulse {
  readonly #listeners = new Set<() => void>();
  #next: Promise<void> | undefined;
  #resolve: (() => void) | undefined;

  /** Resolves when it happens next; the same promise until then. */
  wait(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      this.#resolve = resolve;
    });
    return this.#next;
  }

  /** Calls `listener` each time. @returns how to end it */
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

/** Fires a pulse later in this turn of the event loop: once, however many reasons there were. */
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
