/** A piece of the page that displays a value and can be updated. */
export interface Part<T> {
  readonly root: Element;
  update(value: T): void;
}

/** List of children by key. The element of a key is reused when its item changes, so that focus and selections survive. */
export class KeyedList<T> {
  readonly #parent: Element;
  readonly #keyOf: (item: T, position: number) => string;
  readonly #create: (item: T) => Part<T>;
  #parts = new Map<string, Part<T>>();

  constructor(parent: Element, keyOf: (item: T, position: number) => string, create: (item: T) => Part<T>) {
    this.#parent = parent;
    this.#keyOf = keyOf;
    this.#create = create;
  }

  update(items: readonly T[]): void {
    const parts = new Map<string, Part<T>>();
    for (const [i, item] of items.entries()) {
      const key = this.#keyOf(item, i);
      if (parts.has(key)) continue;
      const part = this.#parts.get(key) ?? this.#create(item);
      part.update(item);
      const there = this.#parent.children[parts.size] ?? null;
      if (there !== part.root) this.#parent.insertBefore(part.root, there);
      parts.set(key, part);
    }
    for (const [key, { root }] of this.#parts) if (!parts.has(key)) root.remove();
    this.#parts = parts;
  }
}
