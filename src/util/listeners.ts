/** Listeners of an event. A notification does not call listeners that are added or removed during the notification. */
export class Listeners<A extends readonly unknown[]> {
  /** One entry per call of `add`, so one function may be added twice. */
  readonly #joined = new Set<{ readonly call: (...values: A) => void }>();

  get size(): number {
    return this.#joined.size;
  }

  /**
   * Adds a listener.
   * @returns a function that removes the listener. The returned function returns true if it removed the last listener. Further calls of the function
   * have no effect.
   */
  add(call: (...values: A) => void): () => boolean {
    const entry = { call };
    this.#joined.add(entry);
    return () => this.#joined.delete(entry) && this.#joined.size === 0;
  }

  notify(...values: A): void {
    for (const entry of [...this.#joined]) if (this.#joined.has(entry)) entry.call(...values);
  }

  clear(): void {
    this.#joined.clear();
  }
}
