/** Something that is opened by its first use. A failed attempt is forgotten, so that the next use tries again. */
export class OpenedOnce<T> {
  readonly #open: () => Promise<T>;
  #opening: Promise<T> | undefined;

  constructor(open: () => Promise<T>) {
    this.#open = open;
  }

  /** Latest attempt; undefined if there is none, or if it failed. */
  get opening(): Promise<T> | undefined {
    return this.#opening;
  }

  get(): Promise<T> {
    if (this.#opening !== undefined) return this.#opening;
    const opening = this.#open();
    this.#opening = opening;
    opening.catch(() => {
      this.#opening = undefined;
    });
    return opening;
  }
}
