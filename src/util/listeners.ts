/** Listeners of an event. A listener that is added or removed during a notification is not called by it. */
export class Listeners<A extends readonly unknown[]> {
  /** One entry per `add`, not per function: one function may be added twice. */
  readonly #joined = new Set<{ readonly call: (...values: A) => void }>();

  get size(): number {
    return this.#joined.size;
  }

  /**
   * @returns a function that removes the listener, harmless when repeated; it returns true when that was the last
   * one
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
