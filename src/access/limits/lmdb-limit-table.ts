import { join } from 'node:path';
import type { Database } from 'lmdb';
import { LmdbEnvironment } from '../../util/lmdb-environment.ts';
import { prepareLmdbFolder } from '../../util/lmdb-folder.ts';
import { type Bucket, fillBucket, takeTokens } from './bucket.ts';
import type { Draw, Drawn, LimitTable, Spending } from './limit-table.ts';

type Day = { readonly day: number; readonly credits: number };
/** Buckets and days by key. */
type Table = Database<Bucket | Day, string>;

const MAP_BYTES = 1 << 28;
/** Entries of one process's time: beyond it those are dropped that have not changed for an hour. */
const SWEEP_AFTER = 50_000;
const IDLE_MS = 3_600_000;

/**
 * Limits in an LMDB environment of their own, `<dataDir>/limits`, which processes of one machine share: its lock makes
 * each draw a whole. A power cut may lose the last ones, a killed process loses none.
 */
export class LmdbLimitTable implements LimitTable {
  readonly share = 1;
  readonly #path: string;
  #opened: LmdbEnvironment<Table> | undefined;
  readonly #now: () => number;
  readonly #onFault: () => void;
  #entered = 0;

  /** @param now Unix milliseconds */
  constructor(dataDir: string, onFault: () => void, now: () => number = Date.now) {
    this.#path = join(dataDir, 'limits');
    this.#now = now;
    this.#onFault = onFault;
  }

  draw(draw: Draw): Drawn | undefined {
    try {
      return this.#environment.write((table) => this.#drawInside(table, draw));
    } catch {
      this.#onFault();
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#opened?.close();
  }

  /** At the first draw: many services have no limit. */
  get #environment(): LmdbEnvironment<Table> {
    if (this.#opened === undefined) {
      prepareLmdbFolder(this.#path);
      const options = { path: this.#path, encoding: 'msgpack', mapSize: MAP_BYTES, noSync: true } as const;
      this.#opened = new LmdbEnvironment(options, (root) => root as Table);
    }
    return this.#opened;
  }

  #drawInside(table: Table, { bucket: name, rate, tokens: wanted, spending }: Draw): Drawn {
    const spent = spending === undefined ? 0 : this.#enter(table, spending);
    if (rate === undefined) return { tokens: wanted, waitMs: 0, spent };
    const key = `bucket ${name}`;
    const known = table.get(key) as Bucket | undefined;
    if (known === undefined && ++this.#entered % SWEEP_AFTER === 0) this.#sweep(table);
    const { bucket, tokens, waitMs } = takeTokens(fillBucket(known, rate, this.#now()), rate, wanted);
    table.putSync(key, bucket);
    return { tokens, waitMs, spent };
  }

  #enter(table: Table, { account, day, credits }: Spending): number {
    const key = `day ${account}`;
    const known = table.get(key) as Day | undefined;
    if (known !== undefined && known.day > day) return credits;
    const total = credits + (known?.day === day ? known.credits : 0);
    if (credits !== 0) table.putSync(key, { day, credits: total });
    return total;
  }

  /** A bucket that was not drawn from for long is full, as a new one is. */
  #sweep(table: Table): void {
    const old = this.#now() - IDLE_MS;
    for (const { key, value } of table.getRange({ start: 'bucket ', end: 'bucket!' })) {
      if ((value as Bucket).at < old) table.removeSync(key);
    }
  }
}
