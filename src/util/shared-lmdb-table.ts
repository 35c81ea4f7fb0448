import type { Database } from 'lmdb';
import { LmdbEnvironment } from './lmdb-environment.ts';
import { prepareLmdbFolder } from './lmdb-folder.ts';

/**
 * Table in an LMDB environment of its own, which the processes of one machine share. The lock of the environment makes each write atomic. The environment is
 * opened at the first write, because many services never write to it. A power cut may lose the last writes; a killed process loses none.
 */
export class SharedLmdbTable<V> {
  readonly #path: string;
  readonly #mapBytes: number;
  #environment: LmdbEnvironment<Database<V, string>> | undefined;

  /**
   * @param path folder of the environment; it is created if it does not exist
   * @param mapBytes maximum size, bytes
   */
  constructor(path: string, mapBytes: number) {
    this.#path = path;
    this.#mapBytes = mapBytes;
  }

  /**
   * Runs a write transaction. If `work` throws, nothing is committed.
   * @throws Error that names the folder, where the environment cannot be opened; errors of `work`
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
