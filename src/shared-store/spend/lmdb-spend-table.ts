import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'lmdb';
import { SharedLmdbTable } from '../../util/shared-lmdb-table.ts';
import { type DaySpend, SPEND_DAYS, type SpendReport, type SpendTable } from './spend-table.ts';

/** Maximum size of the table, bytes. A day of an account takes about 100 bytes, so 1,000 accounts need 40 MB. */
const MAP_BYTES = 1 << 27;
/** Maximum number of expired days that one report removes. */
const SWEPT_DAYS = 8;
/** Digits of a day in a key, so that keys sort by day. */
const DAY_DIGITS = 6;

/** Credits by account and day in an LMDB environment of their own, `<dataDir>/spend`. */
export class LmdbSpendTable implements SpendTable {
  readonly #path: string;
  readonly #table: SharedLmdbTable<number>;
  readonly #onFault: (error: unknown) => void;

  /** @param onFault called for each failed report */
  constructor(dataDir: string, onFault: (error: unknown) => void) {
    this.#path = join(dataDir, 'spend');
    this.#table = new SharedLmdbTable(this.#path, MAP_BYTES);
    this.#onFault = onFault;
  }

  report({ account, day, credits, since }: SpendReport): number | undefined {
    try {
      return this.#table.write((table) => {
        if (credits > 0) {
          const key = nameDay(account, day);
          const before = table.get(key);
          if (before === undefined) sweep(table, account, day);
          table.putSync(key, (before ?? 0) + credits);
        }
        return listDays(table, account, since).reduce((total, one) => total + one.credits, 0);
      });
    } catch (error) {
      this.#onFault(error);
      return undefined;
    }
  }

  list(account: string): readonly DaySpend[] {
    // A command that only reads must not create the folder, because the service may run as another user.
    return existsSync(this.#path) ? this.#table.write((table) => listDays(table, account, 0)) : [];
  }

  async close(): Promise<void> {
    await this.#table.close();
  }
}

function nameDay(account: string, day: number): string {
  return `${account} ${String(Math.max(0, day)).padStart(DAY_DIGITS, '0')}`;
}

function listDays(table: Database<number, string>, account: string, since: number): DaySpend[] {
  const range = table.getRange({ start: nameDay(account, since), end: `${account}!` });
  return [...range].map(({ key, value }) => ({ day: Number(key.slice(-DAY_DIGITS)), credits: value }));
}

function sweep(table: Database<number, string>, account: string, day: number): void {
  const bounds = { start: nameDay(account, 0), end: nameDay(account, day - SPEND_DAYS), limit: SWEPT_DAYS };
  for (const key of [...table.getKeys(bounds)]) table.removeSync(key);
}
