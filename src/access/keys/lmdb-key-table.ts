import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { describeWriteError, prepareLmdbFolder } from '../../util/lmdb-folder.ts';
import { readErrorCode } from '../../util/system-error.ts';
import type { KeyRecord } from './key-record.ts';
import type { KeyTable } from './key-table.ts';

const MAP_BYTES = 1 << 28;

/** Keys in an LMDB environment of their own, `<dataDir>/keys`, which processes of one machine share. */
export class LmdbKeyTable implements KeyTable {
  readonly #path: string;
  readonly #root: RootDatabase;
  readonly #records: Database<KeyRecord, string>;
  /** SHA-256 of a key -> id. */
  readonly #ids: Database<string, string>;

  constructor(dataDir: string) {
    const path = join(dataDir, 'keys');
    this.#path = path;
    prepareLmdbFolder(path);
    this.#root = open({ path, noSubdir: false, maxDbs: 2, mapSize: MAP_BYTES });
    this.#records = this.#root.openDB({ name: 'records', encoding: 'json' });
    this.#ids = this.#root.openDB({ name: 'ids', encoding: 'string' });
  }

  findByHash(hash: string): KeyRecord | undefined {
    // Otherwise what other processes write is seen only later.
    this.#root.resetReadTxn();
    const id = this.#ids.get(hash);
    return id === undefined ? undefined : this.#records.get(id);
  }

  list(): KeyRecord[] {
    this.#root.resetReadTxn();
    return Array.from(this.#records.getRange(), ({ value }) => value);
  }

  async insert(record: KeyRecord): Promise<void> {
    await this.#write(() => this.#put(record));
  }

  async modify(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord | undefined> {
    return this.#write(() => {
      const record = this.#records.get(id);
      if (record === undefined) return undefined;
      for (const { hash } of record.hashes) this.#ids.removeSync(hash);
      return this.#put(change(record));
    });
  }

  async close(): Promise<void> {
    await this.#root.close();
  }

  /** Runs a transaction; what it has written is on the disk then. @throws Error when it could not be, and nothing is changed */
  async #write<T>(transaction: () => T): Promise<T> {
    try {
      const outcome = this.#root.transactionSync(transaction);
      await this.#root.flushed;
      return outcome;
    } catch (error) {
      // Errors of `change` are the caller's.
      throw readErrorCode(error) === undefined ? error : describeWriteError(this.#path, error);
    }
  }

  #put(record: KeyRecord): KeyRecord {
    for (const { hash } of record.hashes) this.#ids.putSync(hash, record.id);
    this.#records.putSync(record.id, record);
    return record;
  }
}
