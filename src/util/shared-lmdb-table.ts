import type { Database } from 'lmdb';
import { LmdbEnvironment } from './lmdb-environment.ts';
import { prepareLmdbFolder } from './lmdb-folder.ts';

/**
 * A table in its own LMDB environment, shared by processes of one machine: the environment's lock makes each write
 * atomic. It is opened at the first write, since many services never write to it. A power cut may lose the last
 * writes, a killed process loses none.
 */
export class SharedLmdbTable<V> {
  readonly #path: string;
  readonly #mapBytes: number;
  #environment: LmdbEnvironment<Database<V, string>> | undefined;

  /**
   * @param path its folder, which is created
   * @param mapBytes maximum size
   */
  constructor(path: string, mapBytes: number) {
    this.#path = path;
    this.#mapBytes = mapBytes;
  }

  /**
   * Runs a write transaction: all of it is committed, or nothing where `work` throws.
   * @throws Error naming the folder where it cannot be opened; errors of `work`
   */
  write<R>(work: (table: Database<V, string>) => R): R {
    this.#environment ??= this.#open();
    return this.#environment.write(work);
  }

  async close(): Promise<void> {
    await this.#environment?.close();
  }

  #open(): LmdbEnvironment<Database<V, string>> {
    prepareLmdbFolder(this.#path);
    return new LmdbEnvironment(
      { path: this.#path, encoding: 'msgpack', mapSize: this.#mapBytes, noSync: true },
      (root) => root as Database<V, string>,
    );
  }
}
