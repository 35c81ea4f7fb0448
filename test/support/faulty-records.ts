import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import {
  type RecordTable,
  RecordTableError,
  type StoredRecord,
} from '../../src/shared-store/records/record-table.ts';

/** Fate of an operation: executed; failed without a change; executed, but its answer is lost. */
export type RecordFault = 'none' | 'unmade' | 'unanswered';

/** Wraps a table; operations fail as a test configures. */
export class FaultyRecords implements RecordTable {
  /** All operations fail and change nothing. */
  isAway = false;
  /** Fates of the next operations, in order; later ones are executed. */
  faults: RecordFault[] = [];
  readonly #table: RecordTable;

  constructor(table: RecordTable) {
    this.#table = table;
  }

  read(name: string): Promise<StoredRecord | undefined> {
    return this.#run(() => this.#table.read(name));
  }

  create(...write: Parameters<RecordTable['create']>): Promise<boolean> {
    return this.#run(() => this.#table.create(...write));
  }

  replace(...write: Parameters<RecordTable['replace']>): Promise<boolean> {
    return this.#run(() => this.#table.replace(...write));
  }

  remove(name: string): Promise<boolean> {
    return this.#run(() => this.#table.remove(name));
  }

  async close(): Promise<void> {}

  async #run<T>(operation: () => PromiseOrValue<T>): Promise<T> {
    const fault = this.isAway ? 'unmade' : (this.faults.shift() ?? 'none');
    if (fault === 'unmade') throw new RecordTableError('away');
    const result = await operation();
    if (fault === 'unanswered') throw new RecordTableError('away');
    return result;
  }
}
