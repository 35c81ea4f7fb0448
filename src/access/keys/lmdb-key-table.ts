import { join } from 'node:path';
import type { Database } from 'lmdb';
import { LmdbEnvironment } from '../../util/lmdb-environment.ts';
import { describeWriteError, prepareLmdbFolder } from '../../util/lmdb-folder.ts';
import { readErrorCode } from '../../util/system-error.ts';
import type { KeyRecord } from './key-record.ts';
import type { KeyTable } from './key-table.ts';

const MAP_BYTES = 1 << 28;

type Tables = {
  readonly records: Database<KeyRecord, string>;
  /** Id of a key, by the SHA-256 of each of its values. */
  readonly ids: Database<string, string>;
};

/** Returns the folder of the keys in a data folder. */
export const locateKeys = (dataDir: string): string => join(dataDir, 'keys');

/** Stores keys in the LMDB environment `<dataDir>/keys`, which all processes of one machine share. */
export class LmdbKeyTable implements KeyTable {
  readonly #path: string;
  readonly #environment: LmdbEnvironment<Tables>;

  constructor(dataDir: string) {
    const path = locateKeys(dataDir);
    this.#path = path;
    prepareLmdbFolder(path);
    this.#environment = new LmdbEnvironment({ path, maxDbs: 2, mapSize: MAP_BYTES }, (root) => ({
      records: root.openDB({ name: 'records', encoding: 'json' }),
      ids: root.openDB({ name: 'ids', encoding: 'string' }),
    }));
  }

  findByHash(hash: string): KeyRecord | undefined {
    this.#environment.refresh();
    const { ids, records } = this.#environment.tables;
    const id = ids.get(hash);
    return id === undefined ? undefined : records.get(id);
  }

  get(id: string): KeyRecord | undefined {
    this.#environment.refresh();
    return this.#environment.tables.records.get(id);
  }

  list(): KeyRecord[] {
    this.#environment.refresh();
    return Array.from(this.#environment.tables.records.getRange(), ({ value }) => value);
  }

  async insert(record: KeyRecord): Promise<void> {
    await this.#write((tables) => put(tables, record));
  }

  async modify(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord | undefined> {
    return this.#write((tables) => {
      const record = tables.records.get(id);
      if (record === undefined) return undefined;
      for (const { hash } of record.hashes) tables.ids.removeSync(hash);
      return put(tables, change(record));
    });
  }

  async close(): Promise<void> {
    await this.#environment.close();
  }

  /**
   * Runs a transaction, and resolves once it is durable.
   * @throws Error when the write fails; nothing is changed then
   */
  async #write<T>(transaction: (tables: Tables) => T): Promise<T> {
    try {
      const outcome = this.#environment.write(transaction);
      await this.#environment.flushed;
      return outcome;
    } catch (error) {
      // Errors without an error code come from `change`, and are rethrown unchanged.
      throw readErrorCode(error) === undefined ? error : describeWriteError(this.#path, error);
    }
  }
}

function put({ records, ids }: Tables, record: KeyRecord): KeyRecord {
  for (const { hash } of record.hashes) ids.putSync(hash, record.id);
  records.putSync(record.id, record);
  return record;
}
