import type { Database } from 'lmdb';
import { LmdbEnvironment } from './lmdb-environment.ts';
import { prepareLmdbFolder } from './lmdb-folder.ts';

/**
 * A table in an LMDB environment of its own, which processes of one machine share: the environment's lock makes each write a whole. It is opened at the first
 * write, since many services never write to it. A power cut may lose the last writes, a killed process loses none.
 */
export class SharedLmdbTable<V> {
  readonly #path: string;
  readonly #mapBytes: number;
  #environment: LmdbEnvironment<Database<V, string>> | undefined;

  /**
   * @param path of its folder, which is made
   * @param mapBytes how large it can grow
   */
  constructor(path: string, mapBytes: number) {
    this.#path = path;
    this.#mapBytes = mapBytes;
  }

  /**
   * Runs a write transaction: all of it is kept, or nothing where `work` throws.
   * @throws Error naming the folder where it cannot be opened; what `work` throws
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
