import type { UsageRow } from '../util/usage-row.ts';
import { MethodUsage, type UsageRows } from './method-usage.ts';

/**
 * Maximum number of rows (key, network and method) that are counted apart between two reports, a few MB of memory. Beyond it, the calls of further
 * keys fall together under `OTHER_KEY`.
 */
const MAX_ROWS = 10_000;
/** Stands in the place of the method in rows with credits that belong to no single call: large bodies, extra work, notifications. */
const SURCHARGE_LABEL = 'surcharge';

/** Counts calls and credits by key, network and method until a report takes them. */
export class UsageCounter implements UsageRows {
  readonly #maxRows: number;
  readonly #surcharges = new Map<string, MethodUsage>();
  /** Methods that have rows. */
  readonly #used: MethodUsage[] = [];
  #size = 0;

  constructor(maxRows: number = MAX_ROWS) {
    this.#maxRows = maxRows;
  }

  /** Creates the counts of a method of a network. Counts of the same method are summed where rows are read. */
  open(network: string, method: string): MethodUsage {
    return new MethodUsage(network, method, this);
  }

  /** Adds credits that belong to no single call. */
  addSurcharge(key: string, network: string, credits: number): void {
    let usage = this.#surcharges.get(network);
    if (usage === undefined) {
      usage = this.open(network, SURCHARGE_LABEL);
      this.#surcharges.set(network, usage);
    }
    usage.addCredits(key, credits);
  }

  /** Removes at most `max` rows, and returns them. */
  take(max: number): UsageRow[] {
    const taken: UsageRow[] = [];
    while (taken.length < max) {
      // The oldest rows first, so that none waits forever while new rows come faster than reports.
      const [next] = this.#used;
      if (next === undefined) break;
      if (!next.moveTo(taken, max - taken.length)) this.#used.shift();
    }
    return taken;
  }

  tryTake(): boolean {
    if (this.#size >= this.#maxRows) return false;
    this.#size++;
    return true;
  }

  giveBack(rows: number): void {
    this.#size -= rows;
  }

  noteUsed(method: MethodUsage): void {
    this.#used.push(method);
  }
}
