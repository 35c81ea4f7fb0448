/**
 * A set of a few members that come and go with requests: members are found by looking at all of them. A Set would keep them alive
 * longer, as `PassingMap` explains.
 */
export class SmallSet<T> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** @param member that is not in it */
  add(member: T): void {
    this.#members.push(member);
  }

  /** Changes the order of the others. */
  delete(member: T): void {
    const index = this.#members.indexOf(member);
    if (index < 0) return;
    const last = this.#members.pop() as T;
    if (index < this.#members.length) this.#members[index] = last;
  }

  /** Empties it. @returns what was in it */
  take(): readonly T[] {
    return this.#members.splice(0);
  }
}
