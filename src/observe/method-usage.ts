import { OTHER_KEY, type UsageRow } from '../util/usage-row.ts';

type KeyCount = { readonly key: string; calls: number; refused: number; credits: number };

/** Rows of a process that no report has taken yet. */
export interface UsageRows {
  /** Reserves a row for a key. @returns false if there are too many rows */
  tryTake(): boolean;
  giveBack(rows: number): void;
  /** Notes that a method has rows again. */
  noteUsed(method: MethodUsage): void;
}

/** Calls to one method of one network by key, since the last report. */
export class MethodUsage {
  readonly network: string;
  readonly method: string;
  readonly #rows: UsageRows;
  readonly #byKey = new Map<string, KeyCount>();
  /** Count of the key that made the last call. The next call usually has the same key. */
  #last: KeyCount | undefined;

  constructor(network: string, method: string, rows: UsageRows) {
    this.network = network;
    this.method = method;
    this.#rows = rows;
  }

  count(key: string, credits: number, isRefused: boolean): void {
    const count = this.#last?.key === key ? this.#last : this.#find(key);
    count.calls++;
    count.credits += credits;
    if (isRefused) count.refused++;
  }

  /** Adds credits that belong to no call. */
  addCredits(key: string, credits: number): void {
    this.#find(key).credits += credits;
  }

  /** Moves at most `max` rows to a list. @returns whether there are rows left */
  moveTo(taken: UsageRow[], max: number): boolean {
    const { network, method } = this;
    let moved = 0;
    for (const { key, calls, refused, credits } of this.#byKey.values()) {
      if (moved === max) break;
      taken.push({ key, network, method, calls, refused, credits });
      this.#byKey.delete(key);
      if (key !== OTHER_KEY) this.#rows.giveBack(1);
      moved++;
    }
    this.#last = undefined;
    return this.#byKey.size > 0;
  }

  #find(key: string): KeyCount {
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      this.#last = known;
      return known;
    }
    if (key !== OTHER_KEY && !this.#rows.tryTake()) return this.#find(OTHER_KEY);
    if (this.#byKey.size === 0) this.#rows.noteUsed(this);
    const count = { key, calls: 0, refused: 0, credits: 0 };
    this.#byKey.set(key, count);
    this.#last = count;
    return count;
  }
}
