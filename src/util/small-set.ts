/**
 * Set of a few members that live as long as a request. The set is searched linearly. A `Set` would keep its members alive longer, as explained at
 * `PassingMap`.
 */
export class SmallSet<T> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  /**
   * Adds a member.
   * @param member must not be in the set yet
   */
  add(member: T): void {
    this.#members.push(member);
  }

  /** Removes a member. Removal changes the order of the other members. */
  delete(member: T): void {
    const index = this.#members.indexOf(member);
    if (index < 0) return;
    const last = this.#members.pop() as T;
    if (index < this.#members.length) this.#members[index] = last;
  }

  /**
   * Empties the set.
   * @returns the members that the set had
   */
  take(): readonly T[] {
    return this.#members.splice(0);
  }
}
