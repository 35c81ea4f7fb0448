import { join } from 'node:path';
import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { GATE_FILE } from './lmdb-folder.ts';
import { readErrorCode } from './system-error.ts';

/** `open` of lmdb without a path that it chooses itself. */
export type EnvironmentOptions = RootDatabaseOptionsWithPath & { readonly path: string };

/** Nothing is ever stored in it. */
const GATE_BYTES = 1 << 16;

/**
 * An LMDB environment that several processes open and write.
 * `mdb_env_open` of lmdb 3 sets the shared number of the last transaction to the one that it has read a moment before, without a lock
 * (`mdb_env_open2`, also when it opens for reading): a commit in between is lost, and its pages are overwritten. So every opening and
 * every write transaction holds the gate, the write lock of a second environment that stays empty. LMDB gives the lock of a killed
 * process to the next one.
 * @template T what `openTables` returns
 */
export class LmdbEnvironment<T> {
  readonly tables: T;
  readonly #root: RootDatabase;
  readonly #gate: RootDatabase | undefined;

  /**
   * @param options the folder of the environment exists
   * @param openTables opens the databases of the environment; runs in the gate. What it throws closes the environment
   * @throws Error of LMDB or of the file system
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

  /** Resolves when what was written is on the disk. */
  get flushed(): Promise<unknown> {
    return this.#root.flushed;
  }

  /** Lets the next read see what other processes have written. */
  refresh(): void {
    this.#root.resetReadTxn();
  }

  /** Runs a write transaction: all of it is kept, or nothing where `work` throws. */
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

/** Undefined on a file system that is read-only: there nothing is written, and LMDB itself goes without locks. */
function openGate({ path, readOnly = false }: EnvironmentOptions): RootDatabase | undefined {
  try {
    return open({ path: join(path, GATE_FILE), noSubdir: true, mapSize: GATE_BYTES, noSync: true });
  } catch (error) {
    if (readOnly && readErrorCode(error) === 'EROFS') return undefined;
    throw error;
  }
}
