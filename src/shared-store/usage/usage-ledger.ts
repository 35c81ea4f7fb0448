import { continueWith, type PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { Clock } from '../../util/clock.ts';
import type { UsageRow } from '../../util/usage-row.ts';
import { DAY_MS } from '../../util/utc-day.ts';
import { LAST_ROUNDS, REPORT_MS, ReportOutbox, type ReportOutcome } from '../reports/report-outbox.ts';
import { MAX_REPORT_ROWS, type UsageReport, type UsageTable } from './usage-table.ts';

/** Delay until the next report while there are more rows than one report may have, ms. The event loop serves requests in between. */
const BACKLOG_MS = 20;
/**
 * Maximum number of earlier days whose rows are kept apart while the table is unavailable. Calls of further days count as those of the first day
 * beyond it.
 */
const MAX_LATE_DAYS = 7;

/** Counts of this process that are not reported yet. */
export interface UsageSource {
  /** Removes at most `max` rows, and returns them. */
  take(max: number): UsageRow[];
}

export type UsageLedgerOptions = {
  readonly table: UsageTable;
  readonly source: UsageSource;
  readonly clock: Clock;
  /** Wall clock, Unix ms. */
  readonly wallTime: () => number;
  /** Called at the end if calls could not be reported. */
  readonly onLost: (calls: number) => void;
};

type LateDay = { readonly day: number; readonly rows: UsageRow[] };

/** Reports the calls of this process to the shared table at intervals. */
export class UsageLedger {
  readonly #options: UsageLedgerOptions;
  readonly #outbox = new ReportOutbox<UsageReport, true>();
  /** Rows of earlier days that are not reported yet, oldest first. */
  readonly #late: LateDay[] = [];
  #day: number;
  /** Number of the last report. */
  #entries = 0;
  /** Whether there were more rows than the last report has. */
  #hasBacklog = false;
  #cancel: () => void;
  #isClosed = false;

  constructor(options: UsageLedgerOptions) {
    this.#options = options;
    this.#day = this.#today();
    this.#cancel = options.clock.schedule(this.#tick, REPORT_MS);
  }

  /** Sends the remaining rows to the table. Does not close the table. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    for (let round = 0; round < LAST_ROUNDS; ) {
      const delivery = await this.#send();
      if (delivery === 'none') return;
      if (delivery === 'unconfirmed') round++;
    }
    const lost = [this.#outbox.unconfirmed?.rows ?? [], ...this.#late.map(({ rows }) => rows)].flat();
    const calls = [...lost, ...this.#options.source.take(Number.POSITIVE_INFINITY)].reduce(
      (total, row) => total + row.calls,
      0,
    );
    this.#options.onLost(calls);
  }

  readonly #tick = (): void => {
    void continueWith(this.#send(), (delivery) => {
      if (this.#isClosed) return;
      const hasBacklog = delivery === 'confirmed' && this.#hasBacklog;
      this.#cancel = this.#options.clock.schedule(this.#tick, hasBacklog ? BACKLOG_MS : REPORT_MS);
    });
  };

  #send(): PromiseOrValue<ReportOutcome> {
    const { table } = this.#options;
    this.#turnDay();
    return this.#outbox.send({ next: () => this.#createReport(), deliver: (report) => table.add(report) });
  }

  #createReport(): UsageReport | undefined {
    const { day, rows } = this.#takeRows();
    this.#hasBacklog = this.#late.length > 0 || rows.length === MAX_REPORT_ROWS;
    return rows.length === 0 ? undefined : { entry: ++this.#entries, day, rows };
  }

  #takeRows(): LateDay {
    const [late] = this.#late;
    if (late === undefined) return { day: this.#day, rows: this.#options.source.take(MAX_REPORT_ROWS) };
    const rows = late.rows.splice(0, MAX_REPORT_ROWS);
    if (late.rows.length === 0) this.#late.shift();
    return { day: late.day, rows };
  }

  /** Keeps the rows of the day before apart. */
  #turnDay(): void {
    const today = this.#today();
    if (today === this.#day || this.#late.length === MAX_LATE_DAYS) return;
    const rows = this.#options.source.take(Number.POSITIVE_INFINITY);
    if (rows.length > 0) this.#late.push({ day: this.#day, rows });
    this.#day = today;
  }

  #today(): number {
    return Math.floor(this.#options.wallTime() / DAY_MS);
  }
}
