import { RecencyList } from '../util/recency-list.ts';
import type { Caller } from './call-report.ts';

/** Maximum tracked keys; the least recently seen one is evicted. */
const MAX_KEYS = 1_000;

/** Usage of a key since it was first seen. */
export type KeyUse = {
  readonly id: string;
  readonly name: string;
  readonly calls: number;
  readonly credits: number;
  /** Calls refused by a limit. */
  readonly limited: number;
};

type Entry = {
  -readonly [K in keyof KeyUse]: KeyUse[K];
} & { newer: Entry | undefined; older: Entry | undefined };

/** Usage by key. Only the id and the name of a key are stored, never the key itself. */
export class KeyUsage {
  readonly #byId = new Map<string, Entry>();
  readonly #recency = new RecencyList<Entry>();
  readonly #maxKeys: number;
  /** Entry of the key that made the last call. The next call usually has the same key. */
  #last: Entry | undefined;

  constructor(maxKeys: number = MAX_KEYS) {
    this.#maxKeys = maxKeys;
  }

  /** Counts a call and its credits. */
  count({ id, name }: Caller, credits: number): void {
    const entry = this.#last?.id === id ? this.#last : this.#find(id, name);
    entry.calls++;
    entry.credits += credits;
  }

  /** Adds credits that belong to no single call, such as the surcharge of a large body. */
  addCredits({ id, name }: Caller, credits: number): void {
    this.#find(id, name).credits += credits;
  }

  countLimited(id: string): void {
    this.#find(id, '').limited++;
  }

  /** Returns all keys, most used first. */
  list(): KeyUse[] {
    return [...this.#byId.values()]
      .map(({ id, name, calls, credits, limited }) => ({ id, name, calls, credits, limited }))
      .sort((a, b) => b.credits - a.credits);
  }

  #find(id: string, name: string): Entry {
    const known = this.#byId.get(id);
    if (known !== undefined) {
      if (name !== '') known.name = name;
      this.#recency.touch(known);
      this.#last = known;
      return known;
    }
    const { oldest } = this.#recency;
    if (this.#byId.size >= this.#maxKeys && oldest !== undefined) {
      this.#byId.delete(oldest.id);
      this.#recency.remove(oldest);
    }
    const entry: Entry = { id, name, calls: 0, credits: 0, limited: 0, newer: undefined, older: undefined };
    this.#byId.set(id, entry);
    this.#recency.add(entry);
    this.#last = entry;
    return entry;
  }
}
