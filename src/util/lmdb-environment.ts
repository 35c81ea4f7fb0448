import { join } from 'node:path';
import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { GATE_FILE } from './lmdb-folder.ts';
import { readErrorCode } from './system-error.ts';

/** Options of lmdb's `open`, with a required path. */
export type EnvironmentOptions = RootDatabaseOptionsWithPath & { readonly path: string };

/** Map size of the gate, in which nothing is ever stored. */
const GATE_BYTES = 1 << 16;

/**
 * An LMDB environment that several processes open and write. `mdb_env_open` of lmdb 3 sets the shared number of the
 * last transaction to the one that it read a moment before, without a lock (`mdb_env_open2`, also when it opens for
 * reading): a commit in between is lost, and its pages are overwritten. Therefore every opening and every write
 * transaction holds the gate, the write lock of a second environment that stays empty. LMDB passes the lock of a
 * killed process to the next one.
 * @template T result of `openTables`
 */
export class LmdbEnvironment<T> {
  readonly tables: T;
  readonly #root: RootDatabase;
  readonly #gate: RootDatabase | undefined;

  /**
   * @param options the folder of the environment exists
   * @param openTables opens the databases of the environment while the gate is held. An exception closes the
   * environment
   * @throws Error of LMDB or of the file system; errors of `openTables`
   */
  constructor(options: EnvironmentOptions, openTables: (root: RootDatabase) => T) {
    this.#gate = openGate(options);
    const openAll = (): { root: RootDatabase; tables: T } => {
      const root = open({ ...options, noSubdir: false });
      try {
        return { root, tables: openTables(root) };
      } catch (error) {
        void root.close();
        throw error;
      }
    };
    try {
      const { root, tables } = this.#hold(openAll);
      this.#root = root;
      this.tables = tables;
    } catch (error) {
      void this.#gate?.close();
      throw error;
    }
  }

  /** Resolves when all writes are on disk. */
  get flushed(): Promise<unknown> {
    return this.#root.flushed;
  }

  /** Lets the next read see the writes of other processes. */
  refresh(): void {
    this.#root.resetReadTxn();
  }

  /** Runs a write transaction: all of it is committed, or nothing where `work` throws. */
  write<R>(work: (tables: T) => R): R {
    return this.#hold(() => this.#root.transactionSync(() => work(this.tables)));
  }

  async close(): Promise<void> {
    await this.#root.close();
    await this.#gate?.close();
  }

  #hold<R>(work: () => R): R {
    return this.#gate === undefined ? work() : this.#gate.transactionSync(work);
  }
}

/** Opens the gate; undefined on a read-only file system, where nothing is written and LMDB itself uses no locks. */
function openGate({ path, readOnly = false }: EnvironmentOptions): RootDatabase | undefined {
  try {
    return open({ path: join(path, GATE_FILE), noSubdir: true, mapSize: GATE_BYTES, noSync: true });
  } catch (error) {
    if (readOnly && readErrorCode(error) === 'EROFS') return undefined;
    throw error;
  }
}
