import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'lmdb';
import { SharedLmdbTable } from '../../util/shared-lmdb-table.ts';
import type { UsageRow } from '../../util/usage-row.ts';
import { nameOtherRow, nameRow, readRow } from './row-name.ts';
import { MAX_DAY_ROWS, USAGE_DAYS, type UsageReport, type UsageTable } from './usage-table.ts';

/** Maximum size of the table, bytes. A row takes about 200 bytes, so `USAGE_DAYS` days of `MAX_DAY_ROWS` rows need 800 MB. */
const MAP_BYTES = 2 ** 31;
/** Maximum number of expired rows that one report removes, more than it adds. */
const SWEPT_ROWS = 512;
/** Digits of a day in a key, so that keys sort by day. */
const DAY_DIGITS = 6;

/** Calls, refused calls and credits of a row; the number of rows for a day itself. */
type Numbers = readonly number[];

export type LmdbUsageTableOptions = {
  readonly dataDir: string;
  /** Called for each failed report. */
  readonly onFault: (error: unknown) => void;
  readonly maxDayRows?: number;
};

/** Calls by key, network, method and day in an LMDB environment of their own, `<dataDir>/usage`. */
export class LmdbUsageTable implements UsageTable {
  readonly #path: string;
  readonly #table: SharedLmdbTable<Numbers>;
  readonly #onFault: (error: unknown) => void;
  readonly #maxDayRows: number;

  constructor({ dataDir, onFault, maxDayRows = MAX_DAY_ROWS }: LmdbUsageTableOptions) {
    this.#path = join(dataDir, 'usage');
    this.#table = new SharedLmdbTable(this.#path, MAP_BYTES);
    this.#onFault = onFault;
    this.#maxDayRows = maxDayRows;
  }

  /** A transaction that fails changes nothing, so the number of the report does not matter. */
  add({ day, rows }: UsageReport): true | undefined {
    try {
      return this.#table.write((table) => {
        const dayName = nameDay(day);
        const [before = 0] = table.get(dayName) ?? [];
        let count = before;
        for (const row of rows) {
          const own = `${dayName} ${nameRow(row)}`;
          const isOwn = count < this.#maxDayRows || table.get(own) !== undefined;
          const name = isOwn ? own : `${dayName} ${nameOtherRow(row)}`;
          const known = table.get(name);
          if (known === undefined) count++;
          const [calls = 0, refused = 0, credits = 0] = known ?? [];
          table.putSync(name, [calls + row.calls, refused + row.refused, credits + row.credits]);
        }
        if (count !== before) table.putSync(dayName, [count]);
        sweep(table, day);
        return true;
      });
    } catch (error) {
      this.#onFault(error);
      return undefined;
    }
  }

  list(day: number): readonly UsageRow[] {
    // A command that only reads must not create the folder, because the service may run as another user.
    if (!existsSync(this.#path)) return [];
    const dayName = nameDay(day);
    return this.#table.write((table) =>
      [...table.getRange({ start: `${dayName} `, end: `${dayName}!` })].flatMap(({ key, value }) => {
        const row = readRow(key.slice(DAY_DIGITS + 1), value);
        return row === undefined ? [] : [row];
      }),
    );
  }

  async close(): Promise<void> {
    await this.#table.close();
  }
}

function nameDay(day: number): string {
  return String(Math.max(0, day)).padStart(DAY_DIGITS, '0');
}

function sweep(table: Database<Numbers, string>, day: number): void {
  const expired = table.getKeys({ start: nameDay(0), end: nameDay(day - USAGE_DAYS), limit: SWEPT_ROWS });
  for (const key of [...expired]) table.removeSync(key);
}
