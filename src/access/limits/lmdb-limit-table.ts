import { join } from 'node:path';
import type { Database } from 'lmdb';
import { SharedLmdbTable } from '../../util/shared-lmdb-table.ts';
import { type Bucket, fillBucket, takeTokens } from './bucket.ts';
import type { Draw, Drawn, LimitTable, Spending } from './limit-table.ts';

type DayCredits = { readonly day: number; readonly credits: number };
/** Credits of the last recorded day. `before` has the credits of the previously recorded day, which is a later day if the clock was set back. */
type Day = DayCredits & { readonly before?: DayCredits };
/** Table with two types of values: buckets, and the recorded credits of accounts. */
type Table = Database<Bucket | Day, string>;

const MAP_BYTES = 1 << 28;
/**
 * Number of buckets that are checked whenever a bucket is created. Buckets that have not changed for an hour are removed. More buckets are checked
 * than created, so that idle buckets cannot accumulate.
 */
const SWEPT_BUCKETS = 4;
const IDLE_MS = 3_600_000;
const FIRST_BUCKET = 'bucket ';
const BEHIND_BUCKETS = 'bucket!';

/** Stores limits in the LMDB environment `<dataDir>/limits`. Each draw is one transaction. */
export class LmdbLimitTable implements LimitTable {
  readonly share = 1;
  /**
   * The number of processes on this machine is unknown. With a share of 0.002, fifty processes in total spend at most a tenth of the daily credits
   * before they report.
   */
  readonly unreported = 0.002;
  readonly #table: SharedLmdbTable<Bucket | Day>;
  readonly #now: () => number;
  readonly #onFault: () => void;
  /** Key at which the next sweep starts. */
  #sweptTo = FIRST_BUCKET;

  /**
   * @param onFault called for each failed draw
   * @param now wall clock, Unix ms
   */
  constructor(dataDir: string, onFault: () => void, now: () => number = Date.now) {
    this.#table = new SharedLmdbTable(join(dataDir, 'limits'), MAP_BYTES);
    this.#now = now;
    this.#onFault = onFault;
  }

  draw(draw: Draw): Drawn | undefined {
    try {
      return this.#table.write((table) => this.#drawInside(table, draw));
    } catch {
      this.#onFault();
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#table.close();
  }

  #drawInside(table: Table, { bucket: name, rate, tokens: wanted, spending }: Draw): Drawn {
    const spent = spending === undefined ? 0 : this.#enter(table, spending);
    if (rate === undefined) return { tokens: wanted, waitMs: 0, spent };
    const key = `${FIRST_BUCKET}${name}`;
    const known = table.get(key) as Bucket | undefined;
    if (known === undefined) this.#sweep(table);
    const { bucket, tokens, waitMs } = takeTokens(fillBucket(known, rate, this.#now()), rate, wanted);
    table.putSync(key, bucket);
    return { tokens, waitMs, spent };
  }

  /**
   * Records credits. If the clock was set back to an earlier day, credits that are recorded for the later day also count for the earlier day.
   * @returns the credits of the day
   */
  #enter(table: Table, { account, day, credits }: Spending): number {
    const key = `day ${account}`;
    const known = table.get(key) as Day | undefined;
    const [same, other] =
      known === undefined || known.day === day ? [known, known?.before] : [known.before, known];
    const total = credits + (same?.day === day ? same.credits : 0);
    const before = other && { day: other.day, credits: other.credits };
    const isBack = other !== undefined && other.day > day;
    // If the clock was set back, a record is written even for 0 credits. It moves the later day to `before`, so that the record of a following day
    // drops it.
    if (credits !== 0 || (isBack && other === known))
      table.putSync(key, { day, credits: total, ...(before && { before }) });
    return total + (isBack ? other.credits : 0);
  }

  /**
   * Removes buckets without a draw for an hour. A bucket without a draw for an hour is usually full, like a new bucket. A bucket whose time is over
   * an hour in the future is removed too, because the clock was ahead when it was written.
   */
  #sweep(table: Table): void {
    const now = this.#now();
    const bounds = { start: this.#sweptTo, end: BEHIND_BUCKETS, limit: SWEPT_BUCKETS };
    const looked = [...table.getRange(bounds)];
    for (const { key, value } of looked)
      if (Math.abs(now - (value as Bucket).at) > IDLE_MS) table.removeSync(key);
    const last = looked.length < SWEPT_BUCKETS ? undefined : looked.at(-1);
    this.#sweptTo = last === undefined ? FIRST_BUCKET : `${last.key}\0`;
  }
}
