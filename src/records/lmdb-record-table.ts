import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Database } from 'lmdb';
import { LmdbEnvironment } from '../util/lmdb-environment.ts';
import { prepareLmdbFolder } from '../util/lmdb-folder.ts';
import { isStoreError } from '../util/system-error.ts';
import {
  checkRecordText,
  MAX_OWNER_BYTES,
  nameOwnerOf,
  type RecordTable,
  RecordTableError,
  type StoredRecord,
  type WhenFull,
} from './record-table.ts';

/** `expiresAt`: Unix milliseconds. */
type Row = StoredRecord & { readonly expiresAt: number };

/** How many records an owner has of a kind, and bytes of their texts; those that have expired are counted until they are swept. */
type Sum = { readonly count: number; readonly bytes: number };

/** The file grows up to this. */
const MAP_BYTES = 1 << 30;
/** Expired records that go with each new one: more than one, so that they never pile up. */
const SWEPT_RECORDS = 32;
/** Of what an owner may have, the part that is left when its oldest records make room: not each new record looks for them. */
const KEPT_PART = 0.75;
const NONE: Sum = { count: 0, bytes: 0 };

type Databases = {
  readonly rows: Database<Row, string>;
  readonly sums: Database<Sum, string>;
  /** Names by the time at which they expire. */
  readonly expiries: Database<true, [number, string]>;
};

/**
 * Records in an LMDB environment of their own, `<dataDir>/records`, which processes of one machine share: its lock makes each write a whole,
 * sums included. A power cut may lose the last ones, a killed process loses none.
 */
export class LmdbRecordTable implements RecordTable {
  readonly #path: string;
  readonly #now: () => number;
  readonly #onFault: (error: unknown) => void;
  #opened: LmdbEnvironment<Databases> | undefined;

  /** @param now Unix milliseconds */
  constructor(dataDir: string, onFault: (error: unknown) => void, now: () => number = Date.now) {
    this.#path = join(dataDir, 'records');
    this.#onFault = onFault;
    this.#now = now;
  }

  read(name: string): StoredRecord | undefined {
    return this.#run((environment) => {
      environment.refresh();
      return this.#find(environment.tables, name);
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
    return this.#write((databases) => {
      this.#sweep(databases);
      this.#drop(databases, name);
      if (!hasRoom(databases, name, text, maxOfOwner)) {
        if (whenFull === 'removeOldest') this.#makeRoom(databases, name, maxOfOwner);
        else this.#sweepOwner(databases, name);
        if (!hasRoom(databases, name, text, maxOfOwner)) return false;
      }
      this.#put(databases, name, text, lifeMs);
      return true;
    });
  }

  replace(name: string, version: string, text: string, lifeMs: number): boolean {
    checkRecordText(text);
    return this.#write((databases) => {
      if (this.#find(databases, name)?.version !== version) return false;
      this.#drop(databases, name);
      this.#put(databases, name, text, lifeMs);
      return true;
    });
  }

  remove(name: string): boolean {
    return this.#write((databases) => {
      const wasThere = this.#find(databases, name) !== undefined;
      this.#drop(databases, name);
      return wasThere;
    });
  }

  async close(): Promise<void> {
    await this.#opened?.close();
  }

  #write<T>(work: (databases: Databases) => T): T {
    return this.#run((environment) => environment.write(work));
  }

  /** @throws RecordTableError where LMDB or the file system fails; nothing is changed then */
  #run<T>(work: (environment: LmdbEnvironment<Databases>) => T): T {
    try {
      return work(this.#open());
    } catch (error) {
      if (this.#opened !== undefined && !isStoreError(error)) throw error;
      this.#onFault(error);
      throw new RecordTableError('the folder of records cannot be read or written');
    }
  }

  /** At the first use: many services have no records. */
  #open(): LmdbEnvironment<Databases> {
    if (this.#opened === undefined) {
      prepareLmdbFolder(this.#path);
      const options = { path: this.#path, maxDbs: 3, mapSize: MAP_BYTES, noSync: true };
      this.#opened = new LmdbEnvironment(options, (root) => ({
        rows: root.openDB({ name: 'rows', encoding: 'msgpack' }),
        sums: root.openDB({ name: 'sums', encoding: 'msgpack' }),
        expiries: root.openDB({ name: 'expiries', encoding: 'msgpack' }),
      }));
    }
    return this.#opened;
  }

  #find({ rows }: Databases, name: string): Row | undefined {
    const row = rows.get(name);
    return row !== undefined && row.expiresAt > this.#now() ? row : undefined;
  }

  #put({ rows, sums, expiries }: Databases, name: string, text: string, lifeMs: number): void {
    const expiresAt = this.#now() + lifeMs;
    rows.putSync(name, { text, version: randomUUID(), expiresAt });
    expiries.putSync([expiresAt, name], true);
    const owner = nameOwnerOf(name);
    const { count, bytes } = sums.get(owner) ?? NONE;
    sums.putSync(owner, { count: count + 1, bytes: bytes + text.length });
  }

  #drop({ rows, sums, expiries }: Databases, name: string): void {
    const row = rows.get(name);
    if (row === undefined) return;
    rows.removeSync(name);
    expiries.removeSync([row.expiresAt, name]);
    const owner = nameOwnerOf(name);
    const { count, bytes } = sums.get(owner) ?? NONE;
    if (count <= 1) sums.removeSync(owner);
    else sums.putSync(owner, { count: count - 1, bytes: bytes - row.text.length });
  }

  #sweep(databases: Databases): void {
    const end: [number, string] = [this.#now(), ''];
    const due = [...databases.expiries.getKeys({ end, limit: SWEPT_RECORDS })];
    for (const [, name] of due) this.#drop(databases, name);
  }

  /** Leaves the owner of this name three quarters of what it may have: its records that expire first go. */
  #makeRoom(databases: Databases, name: string, maxOfOwner: number): void {
    const owner = nameOwnerOf(name);
    const rows = listRows(databases, owner).sort((a, b) => a.value.expiresAt - b.value.expiresAt);
    for (const { key } of rows) {
      const { count, bytes } = databases.sums.get(owner) ?? NONE;
      if (count <= maxOfOwner * KEPT_PART && bytes <= MAX_OWNER_BYTES * KEPT_PART) return;
      this.#drop(databases, key);
    }
  }

  /** Expired records of the owner of this name. */
  #sweepOwner(databases: Databases, name: string): void {
    const now = this.#now();
    for (const { key, value } of listRows(databases, nameOwnerOf(name)))
      if (value.expiresAt <= now) this.#drop(databases, key);
  }
}

/** Records of an owner: as many as it may have at most. */
function listRows({ rows }: Databases, owner: string): { key: string; value: Row }[] {
  return [...rows.getRange({ start: `${owner}/`, end: `${owner}0` })];
}

function hasRoom({ sums }: Databases, name: string, text: string, maxOfOwner: number): boolean {
  const { count, bytes } = sums.get(nameOwnerOf(name)) ?? NONE;
  return count < maxOfOwner && bytes + text.length <= MAX_OWNER_BYTES;
}
