import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';

/** Credits of an account that the table has not recorded yet. Days are days since 1970, UTC. */
export type SpendReport = {
  readonly account: string;
  readonly day: number;
  readonly credits: number;
  /** First day of the sum that the table returns. */
  readonly since: number;
  /** Sequence number of the report, which increases within a process. A report with unknown outcome is repeated under the same number. */
  readonly entry: number;
};

export type DaySpend = { readonly day: number; readonly credits: number };

/** Number of days for which credits are stored: an accounting year, and a month to export it. */
export const SPEND_DAYS = 400;

/** Credits that calls to providers cost, by account and day, shared by the processes of a service. */
export interface SpendTable {
  /**
   * Adds the credits of a report to its day, once per `entry`. Removes days that are older than `SPEND_DAYS`.
   * Never throws or rejects.
   * @returns the credits of all processes from the day `since` on; undefined while the table is unavailable
   */
  report(report: SpendReport): PromiseOrValue<number | undefined>;
  /**
   * Lists the days on which an account has spent credits, oldest first.
   * @throws Error where the table is unavailable
   */
  list(account: string): PromiseOrValue<readonly DaySpend[]>;
  close(): Promise<void>;
}
