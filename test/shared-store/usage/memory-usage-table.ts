import type { UsageReport, UsageTable } from '../../../src/shared-store/usage/usage-table.ts';
import type { UsageRow } from '../../../src/util/usage-row.ts';

/** Table of usage in the memory of a test. */
export class MemoryUsageTable {
  /** While true, reports are lost before they are recorded. */
  isAway = false;
  /** While true, reports are recorded, but their outcome is unknown. */
  isMute = false;
  /** Sizes of the reports that were recorded. */
  readonly sizes: number[] = [];
  readonly #days = new Map<number, UsageRow[]>();

  /** Opens the table for one process. */
  open(): UsageTable {
    const entries = new Set<number>();
    return {
      add: async (report) => this.#add(report, entries),
      list: (day) => this.#days.get(day) ?? [],
      close: async () => {},
    };
  }

  /** Returns the calls of a day. */
  countCalls(day: number): number {
    return (this.#days.get(day) ?? []).reduce((total, { calls }) => total + calls, 0);
  }

  #add({ entry, day, rows }: UsageReport, entries: Set<number>): true | undefined {
    if (this.isAway) return undefined;
    if (!entries.has(entry)) {
      this.#days.set(day, [...(this.#days.get(day) ?? []), ...rows]);
      this.sizes.push(rows.length);
    }
    entries.add(entry);
    return this.isMute ? undefined : true;
  }
}
