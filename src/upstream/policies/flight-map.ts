import { PassingMap } from '../../util/passing-map.ts';

/** What is in a `FlightMap`: in one at most. */
export interface Mapped<T> {
  readonly about: string;
  readonly question: string;
  isMapped: boolean;
  /** The one with the same question that was there before it. */
  next: T | undefined;
  /** The one that came after it. */
  previous: T | undefined;
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
    const next = this.#byQuestion.get(entry.question);
    entry.isMapped = true;
    entry.next = next;
    if (next !== undefined) next.previous = entry;
    this.#byQuestion.set(entry.question, entry);
    this.#size++;
  }

  /** Does nothing where it is not there. */
  delete(entry: T): void {
    if (!entry.isMapped) return;
    const { question, next, previous } = entry;
    if (previous !== undefined) previous.next = next;
    else if (next !== undefined) this.#byQuestion.set(question, next);
    else this.#byQuestion.delete(question);
    if (next !== undefined) next.previous = previous;
    entry.isMapped = false;
    entry.next = undefined;
    entry.previous = undefined;
    this.#size--;
  }
}
