import { join } from 'node:path';
import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { GATE_FILE } from './lmdb-folder.ts';
import { readErrorCode } from './system-error.ts';

/** Options of lmdb's `open`, with a required `path`. */
export type EnvironmentOptions = RootDatabaseOptionsWithPath & { readonly path: string };

/** Map size of the gate, the LMDB environment that serves only as a lock, bytes. Nothing is ever stored in it. */
const GATE_BYTES = 1 << 16;

/**
 * LMDB environment that several processes open and write. `mdb_env_open` of lmdb 3 has a race: without a lock, it reads the number of the last
 * transaction, and writes the same number to shared memory a moment later. (The function is `mdb_env_open2`; it does this also when it opens for
 * reading.) A commit between the read and the write is lost, and its pages are overwritten. Every opening and every write transaction therefore runs
 * inside the gate. The gate is the write lock of a second environment that stays empty. If a process is killed while it has the gate's lock, LMDB
 * passes the lock to the next process.
 * @template T result of `openTables`
 */
export class LmdbEnvironment<T> {
  readonly tables: T;
  readonly #root: RootDatabase;
  readonly #gate: RootDatabase | undefined;

  /**
   * @param options path and other options of the environment; its folder must exist
   * @param openTables opens the databases of the environment inside the gate. If `openTables` throws, the environment is closed.
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

  /** Makes the next read see the writes of other processes. */
  refresh(): void {
    this.#root.resetReadTxn();
  }

  /** Runs a write transaction. If `work` throws, nothing is committed. */
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

/** Opens the gate. Returns undefined on a read-only file system: nothing is written there, and LMDB itself uses no locks. */
function openGate({ path, readOnly = false }: EnvironmentOptions): RootDatabase | undefined {
  try {
    return open({ path: join(path, GATE_FILE), noSubdir: true, mapSize: GATE_BYTES, noSync: true });
  } catch (error) {
    if (readOnly && readErrorCode(error) === 'EROFS') return undefined;
    throw error;
  }
}
