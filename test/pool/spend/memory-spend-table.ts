import type { DaySpend, SpendReport, SpendTable } from '../../../src/shared-store/spend/spend-table.ts';

/** Table of spent credits in the memory of a test. */
export class MemorySpendTable {
  /** While true, reports are lost before they are recorded. */
  isAway = false;
  /** While true, reports are recorded, but their outcome is unknown. */
  isMute = false;
  readonly #days = new Map<string, Map<number, number>>();

  /** Opens the table for one process. */
  open(): SpendTable {
    const entries = new Set<number>();
    return {
      report: (report) => this.#report(report, entries),
      list: (account) => this.list(account),
      close: async () => {},
    };
  }

  list(account: string): readonly DaySpend[] {
    return [...(this.#days.get(account) ?? [])].map(([day, credits]) => ({ day, credits }));
  }

  #report({ account, day, credits, since, entry }: SpendReport, entries: Set<number>): number | undefined {
    if (this.isAway) return undefined;
    const days = this.#days.get(account) ?? new Map<number, number>();
    this.#days.set(account, days);
    if (!entries.has(entry)) days.set(day, (days.get(day) ?? 0) + credits);
    entries.add(entry);
    if (this.isMute) return undefined;
    return this.list(account).reduce((total, one) => total + (one.day >= since ? one.credits : 0), 0);
  }
}
