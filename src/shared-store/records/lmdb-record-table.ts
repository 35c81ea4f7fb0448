import { join } from 'node:path';
import { LmdbEnvironment } from '../../util/lmdb-environment.ts';
import { prepareLmdbFolder } from '../../util/lmdb-folder.ts';
import { steadyTime } from '../../util/steady-time.ts';
import { isStoreError } from '../../util/system-error.ts';
import { LmdbRows, openRowTables, ROW_TABLES } from './lmdb-rows.ts';
import {
  checkRecordText,
  MAX_LIFE_MS,
  MAX_OWNER_BYTES,
  MAX_SWEPT_FOR_ROOM,
  nameOwnerOf,
  type RecordTable,
  RecordTableError,
  type StoredRecord,
  type WhenFull,
} from './record-table.ts';

/** Maximum size of the LMDB file, bytes. */
const MAP_BYTES = 1 << 30;
/** Number of expired records removed with each new record; more than one, so that expired records cannot accumulate. */
const SWEPT_WITH_NEW = 4;
/** Interval between sweeps of expired records, and pause between the parts of one sweep, ms. */
const SWEEP_MS = 1_000;
const PART_PAUSE_MS = 20;
const SWEPT_RECORDS = 64;
/**
 * Maximum number of records whose expiry is shortened when a full owner creates a record, or in one part of a sweep. Each record costs a read and a
 * write.
 */
const SHORTENED_RECORDS = 2;
/** Tolerated difference of clocks between processes, ms. */
const CLOCK_SLACK_MS = 1_000;
/** Number of records that are listed at a time when records are removed to make room. */
const LISTED_FOR_ROOM = 4;

/** Record that is to be written. */
type Wanted = {
  readonly name: string;
  readonly owner: string;
  readonly length: number;
  readonly maxOfOwner: number;
  /** Expiry of the record, Unix ms. */
  readonly expiresAt: number;
};

/**
 * Records in an LMDB environment of their own, `<dataDir>/records`, shared by processes of one machine. The LMDB lock makes each write atomic,
 * including the update of the owner's sums. A power failure may lose the last writes; killing a process loses none.
 */
export class LmdbRecordTable implements RecordTable {
  readonly #path: string;
  readonly #now: () => number;
  readonly #onFault: (error: unknown) => void;
  #opened: LmdbEnvironment<LmdbRows> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param onFault called for each failed operation
   * @param now wall clock, Unix ms
   */
  constructor(dataDir: string, onFault: (error: unknown) => void, now: () => number = steadyTime) {
    this.#path = join(dataDir, 'records');
    this.#onFault = onFault;
    this.#now = now;
  }

  read(name: string): StoredRecord | undefined {
    return this.#read((rows) => {
      const row = rows.get(name);
      return row !== undefined && row.expiresAt > this.#now() ? row : undefined;
    });
  }

  create(
    name: string,
    text: string,
    lifeMs: number,
    maxOfOwner: number,
    whenFull: WhenFull = 'refuse',
  ): boolean {
    checkRecordText(text);
    const expiresAt = this.#now() + lifeMs;
    const wanted = { name, owner: nameOwnerOf(name), length: text.length, maxOfOwner, expiresAt };
    if (whenFull === 'refuse' && this.#read((rows) => this.#isHopeless(rows, wanted))) return false;
    return this.#write((rows) => {
      this.#sweep(rows, SWEPT_WITH_NEW);
      if (!hasRoom(rows, wanted)) this.#makeRoom(rows, wanted, whenFull);
      if (!hasRoom(rows, wanted)) return false;
      rows.drop(name);
      rows.put(name, text, expiresAt);
      return true;
    });
  }

  replace(name: string, version: string, text: string, lifeMs: number): boolean {
    checkRecordText(text);
    return this.#write((rows) => {
      const row = rows.get(name);
      const now = this.#now();
      if (row?.version !== version || row.expiresAt <= now) return false;
      rows.dropDue({ name, expiresAt: row.expiresAt, length: row.text.length });
      rows.put(name, text, now + lifeMs);
      return true;
    });
  }

  remove(name: string): boolean {
    if (!this.#read((rows) => rows.has(name))) return false;
    return this.#write((rows) => {
      const row = rows.get(name);
      if (row === undefined) return false;
      rows.dropDue({ name, expiresAt: row.expiresAt, length: row.text.length });
      return row.expiresAt > this.#now();
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#opened?.close();
  }

  #read<T>(work: (rows: LmdbRows) => T): T {
    return this.#run((environment) => {
      environment.refresh();
      return work(environment.tables);
    });
  }

  #write<T>(work: (rows: LmdbRows) => T): T {
    return this.#run((environment) => environment.write(work));
  }

  /** @throws RecordTableError if LMDB or the file system fails; in that case nothing is changed */
  #run<T>(work: (environment: LmdbEnvironment<LmdbRows>) => T): T {
    try {
      return work(this.#open());
    } catch (error) {
      if (this.#opened !== undefined && !isStoreError(error)) throw error;
      this.#onFault(error);
      throw new RecordTableError('the folder of records cannot be read or written');
    }
  }

  /** Opens the environment at its first use, because many services have no records. */
  #open(): LmdbEnvironment<LmdbRows> {
    if (this.#opened === undefined) {
      prepareLmdbFolder(this.#path);
      const options = { path: this.#path, maxDbs: ROW_TABLES, mapSize: MAP_BYTES, noSync: true };
      this.#opened = new LmdbEnvironment(options, (root) => new LmdbRows(openRowTables(root)));
      this.#sweepLater(SWEEP_MS);
    }
    return this.#opened;
  }

  /** Whether a record has no room, and removing other records cannot make enough room. Only the sums and expiry times are read. */
  #isHopeless(rows: LmdbRows, wanted: Wanted): boolean {
    const { owner, name, expiresAt } = wanted;
    return (
      !(isWithin(rows, wanted, 0, 0) || rows.has(name)) &&
      rows.listDueOf(owner, this.#now(), 1).length === 0 &&
      rows.listLateOf(owner, expiresAt + CLOCK_SLACK_MS, 1).length === 0
    );
  }

  #makeRoom(rows: LmdbRows, wanted: Wanted, whenFull: WhenFull): void {
    const { owner, expiresAt } = wanted;
    const late = rows.listLateOf(owner, expiresAt + CLOCK_SLACK_MS, SHORTENED_RECORDS);
    for (const due of late) rows.shorten(due, expiresAt);
    const before = whenFull === 'removeOldest' ? Number.MAX_VALUE : this.#now();
    for (let left = MAX_SWEPT_FOR_ROOM; left > 0 && !hasRoom(rows, wanted); left -= LISTED_FOR_ROOM) {
      const oldest = rows.listDueOf(owner, before, LISTED_FOR_ROOM);
      for (const due of oldest) if (!hasRoom(rows, wanted)) rows.dropDue(due);
      if (oldest.length < LISTED_FOR_ROOM) return;
    }
  }

  #sweep(rows: LmdbRows, limit: number): void {
    for (const due of rows.listDue(this.#now(), limit)) rows.dropDue(due);
  }

  #sweepLater(ms: number): void {
    this.#timer = setTimeout(() => this.#sweepLater(this.#sweepPart() ? PART_PAUSE_MS : SWEEP_MS), ms);
    this.#timer.unref();
  }

  /**
   * Removes some of the expired records of all owners. Also shortens the life of records whose expiry is so late that the clock must have been wrong.
   * @returns whether more records to remove or shorten may remain
   */
  #sweepPart(): boolean {
    const environment = this.#open();
    try {
      environment.refresh();
      const now = this.#now();
      const latest = now + MAX_LIFE_MS;
      const isClean =
        environment.tables.listDue(now, 1).length === 0 &&
        environment.tables.listLate(latest, 1).length === 0;
      if (isClean) return false;
      environment.write((rows) => {
        this.#sweep(rows, SWEPT_RECORDS);
        for (const late of rows.listLate(latest, SHORTENED_RECORDS)) rows.shorten(late, latest);
      });
      return true;
    } catch {
      // An error is not reported here, because the next operation on a record reports it.
      return false;
    }
  }
}

/** Whether an owner has room for a record, which may replace a record with the same name. */
function hasRoom(rows: LmdbRows, wanted: Wanted): boolean {
  if (isWithin(rows, wanted, 0, 0)) return true;
  const known = rows.get(wanted.name);
  return known !== undefined && isWithin(rows, wanted, 1, known.text.length);
}

/**
 * Whether an owner has room for a record if other records are removed. @param count number of removed records @param bytes total text length of
 * removed records
 */
function isWithin(
  rows: LmdbRows,
  { owner, length, maxOfOwner }: Wanted,
  count: number,
  bytes: number,
): boolean {
  const sum = rows.sumOf(owner);
  return sum.count - count < maxOfOwner && sum.bytes - bytes + length <= MAX_OWNER_BYTES;
}
