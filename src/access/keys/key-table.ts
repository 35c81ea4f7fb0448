import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { KeyRecord } from './key-record.ts';

/** Error: the server that stores the keys does not answer. It is expected, and ends when the server is back. */
export class KeysUnreadableError extends Error {
  constructor() {
    super('the key store does not answer');
    this.name = 'KeysUnreadableError';
  }
}

/** Storage of key records: a local folder, or a server that several machines share. */
export interface KeyTable {
  /**
   * Returns the record of the key with this SHA-256.
   * @param isFirst true if the caller has no cached record of the key; the timeout may be longer, because the caller has no old record to fall back
   * on
   * @throws Error, or rejects, while the table cannot be read
   */
  findByHash(hash: string, isFirst?: boolean): PromiseOrValue<KeyRecord | undefined>;
  /** Returns the record of a key; undefined for an unknown id. */
  get(id: string): PromiseOrValue<KeyRecord | undefined>;
  list(): PromiseOrValue<readonly KeyRecord[]>;
  insert(record: KeyRecord): Promise<void>;
  /**
   * Replaces a record by the result of `change`. The replacement is atomic, so concurrent changes are not lost.
   * @returns the new record; undefined for an unknown id
   */
  modify(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord | undefined>;
  close(): Promise<void>;
}
