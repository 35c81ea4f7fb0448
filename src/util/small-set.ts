/**
 * A set of a few members with the lifetime of requests, searched linearly. A Set would keep them alive longer, as
 * `PassingMap` explains.
 */
export class SmallSet<T> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** @param member not yet in the set */
  add(member: T): void {
    this.#members.push(member);
  }

  /** Removes a member; changes the order of the others. */
  delete(member: T): void {
    const index = this.#members.indexOf(member);
    if (index < 0) return;
    const last = this.#members.pop() as T;
    if (index < this.#members.length) this.#members[index] = last;
  }

  /**
   * Empties the set.
   * @returns its members
   */
  take(): readonly T[] {
    return this.#members.splice(0);
  }
}
