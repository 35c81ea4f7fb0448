/** Functions that are called when something happens. One that joins or leaves meanwhile has no part in the call under way. */
export class Listeners<A extends readonly unknown[]> {
  /** By joining, not by function: one function may have joined twice. */
  readonly #joined = new Set<{ readonly call: (...values: A) => void }>();

  get size(): number {
    return this.#joined.size;
  }

  /** @returns how to end it; harmless when it was ended already. True where it was the last one */
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
