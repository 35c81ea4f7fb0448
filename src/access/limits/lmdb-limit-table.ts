import { join } from 'node:path';
import type { Database } from 'lmdb';
import { SharedLmdbTable } from '../../util/shared-lmdb-table.ts';
import { type Bucket, fillBucket, takeTokens } from './bucket.ts';
import type { Draw, Drawn, LimitTable, Spending } from './limit-table.ts';

type DayCredits = { readonly day: number; readonly credits: number };
/** Credits of the last recorded day, and in `before` those of the day recorded before it. `before` may be the following day, where the clock was ahead. */
type Day = DayCredits & { readonly before?: DayCredits };
/** Table with two types of values: buckets, and the recorded credits of accounts. */
type Table = Database<Bucket | Day, string>;

const MAP_BYTES = 1 << 28;
/**
 * Number of buckets that are checked whenever a bucket is created. Those that have not changed for an hour are removed. The number is above one, so that idle
 * buckets cannot accumulate.
 */
const SWEPT_BUCKETS = 4;
const IDLE_MS = 3_600_000;
const FIRST_BUCKET = 'bucket ';
const BEHIND_BUCKETS = 'bucket!';

/** Limits in an LMDB environment of their own, `<dataDir>/limits`. Each draw is one transaction. */
export class LmdbLimitTable implements LimitTable {
  readonly share = 1;
  /** The number of processes is unknown. With this value, fifty processes spend a tenth before they report. */
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
   * Records credits. If the clock was set back, the credits of the later day count too. While the clock was ahead, all credits were recorded on that later day.
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
    // The record is also written without credits. Otherwise the later day would still count on the days after this one.
    if (credits !== 0 || (isBack && other === known))
      table.putSync(key, { day, credits: total, ...(before && { before }) });
    return total + (isBack ? other.credits : 0);
  }

  /**
   * Removes idle buckets. An idle bucket is full, like a new one, so nothing is lost. A bucket from a clock that was far ahead is removed too, which resets it.
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
