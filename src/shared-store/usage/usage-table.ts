import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { UsageRow } from '../../util/usage-row.ts';

/** Counts that the table has not recorded yet. */
export type UsageReport = {
  /** Sequence number of the report, which increases within a process. A report with unknown outcome is repeated under the same number. */
  readonly entry: number;
  /** Day since 1970, UTC. */
  readonly day: number;
  /** At most `MAX_REPORT_ROWS` rows. */
  readonly rows: readonly UsageRow[];
};

/** Maximum rows of a report. A report of this size takes the table about 2 ms. */
export const MAX_REPORT_ROWS = 256;
/** Number of days for which usage is stored: an accounting year, and a month to export it. */
export const USAGE_DAYS = 400;
/**
 * Maximum rows of a day in the table, about 1 MB: ten methods of 1,000 keys. Beyond it, the calls of further keys fall together under `OTHER_KEY`.
 * The rows of `OTHER_KEY` are not limited, because the configuration limits the networks and methods.
 */
export const MAX_DAY_ROWS = 10_000;

/** Calls by key, network, method and day, shared by the processes of a service. */
export interface UsageTable {
  /**
   * Adds the rows of a report to its day, once per `entry`. Removes days that are older than `USAGE_DAYS`. Never throws or rejects.
   * @returns true if the rows are recorded; undefined if that is unknown
   */
  add(report: UsageReport): PromiseOrValue<true | undefined>;
  /**
   * Lists the rows of a day, each combination of key, network and method once.
   * @throws Error where the table is unavailable
   */
  list(day: number): PromiseOrValue<readonly UsageRow[]>;
  close(): Promise<void>;
}
