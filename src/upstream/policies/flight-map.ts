import { PassingMap } from '../../util/passing-map.ts';

/** What is in a `FlightMap`: in one at most. */
export interface Mapped<T> {
  readonly about: string;
  readonly question: string;
  /** The next one with the same question. */
  next: T | undefined;
}

/**
 * Questions by what they are about, a block most often, and by what is asked of it. They are looked up by the latter alone, of which V8 keeps the
 * hash in the string: a name made of both would be copied and hashed for each.
 */
export class FlightMap<T extends Mapped<T>> {
  readonly #byQuestion = new PassingMap<string, T>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(about: string, question: string): T | undefined {
    let found = this.#byQuestion.get(question);
    while (found !== undefined && found.about !== about) found = found.next;
    return found;
  }

  /** Of two about the same, the one that came last is found. */
  add(entry: T): void {
    entry.next = this.#byQuestion.get(entry.question);
    this.#byQuestion.set(entry.question, entry);
    this.#size++;
  }

  /** Does nothing where it is not there. */
  delete(entry: T): void {
    const first = this.#byQuestion.get(entry.question);
    if (first === entry) {
      if (entry.next === undefined) this.#byQuestion.delete(entry.question);
      else this.#byQuestion.set(entry.question, entry.next);
    } else {
      let before = first;
      while (before !== undefined && before.next !== entry) before = before.next;
      if (before === undefined) return;
      before.next = entry.next;
    }
    entry.next = undefined;
    this.#size--;
  }
}
