import type { PromiseOrValue } from '../../primitives/promise-or-value.ts';
import type { KeyRecord } from './key-record.ts';

/** Where records of keys are kept: in a folder of this machine, or in a server that machines share. */
export interface KeyTable {
  /**
   * The record of the key with this SHA-256. @param isFirst nothing is known of it: without an answer the key does not open, so that
   * one may be waited for longer
   * @throws (or rejects) when it cannot be read now
   */
  findByHash(hash: string, isFirst?: boolean): PromiseOrValue<KeyRecord | undefined>;
  list(): PromiseOrValue<readonly KeyRecord[]>;
  insert(record: KeyRecord): Promise<void>;
  /**
   * Replaces a record by what `change` makes of it, at once and as a whole: of two changes at a time neither is lost.
   * @returns the new record; undefined when there is none with this id
   */
  modify(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord | undefined>;
  close(): Promise<void>;
}
