import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { UntracedError } from '../../../packages/ethereum/primitives/untraced-error.ts';

/** Stored record. */
export type StoredRecord = {
  /** JSON text, at most `MAX_RECORD_BYTES`. */
  readonly text: string;
  /** Version of the record; each write changes it. */
  readonly version: string;
};

export const MAX_RECORD_BYTES: number = 256 * 1024;
/** Maximum total size of an owner's records of one kind, bytes. */
export const MAX_OWNER_BYTES: number = 8 * 1024 * 1024;
/** Maximum lifetime of a record, ms. */
export const MAX_LIFE_MS: number = 2 * 86_400_000;
/**
 * Maximum number of records that are removed to make room for one new record of a full owner (expired records, or the oldest ones). This maximum
 * bounds the duration of a write.
 */
export const MAX_SWEPT_FOR_ROOM: number = 256;

export type WhenFull = 'refuse' | 'removeOldest';

/** Error: the table cannot be read or written now. If the table is on a server, the outcome of a write is unknown. */
export class RecordTableError extends UntracedError {
  constructor(message: string) {
    super(message);
    this.name = 'RecordTableError';
  }
}

/**
 * Small records with expiry, shared by the processes of a service: filters, sent transactions. Names are `<kind>/<owner>/<id>`; the number of records
 * per owner is bounded. Every operation throws or rejects with `RecordTableError` if the table is unavailable or full. The cost of an operation does
 * not depend on the number of an owner's records. The number and total bytes of an owner's records are stored, and `create` checks these sums before
 * it writes. Each removal of expired records is bounded.
 */
export interface RecordTable {
  read(name: string): PromiseOrValue<StoredRecord | undefined>;
  /**
   * Writes a record for `lifeMs` from now, replacing a record with the same name.
   * @param lifeMs lifetime, ms; equal for all records of a kind, unless a setting changes it. If the owner has no room, records that expire later
   * than the new record get the expiry of the new record, because they may have been written while the clock was ahead
   * @param whenFull behaviour if the owner already has `maxOfOwner` records of that kind, or `MAX_OWNER_BYTES` in total: refuse, or remove
   * the records that expire first
   * @returns false if nothing was written
   */
  create(
    name: string,
    text: string,
    lifeMs: number,
    maxOfOwner: number,
    whenFull?: WhenFull,
  ): PromiseOrValue<boolean>;
  /** Replaces a record if it still has this version, and renews its lifetime. @returns false if the record has another version */
  replace(name: string, version: string, text: string, lifeMs: number): PromiseOrValue<boolean>;
  /** @returns whether the record existed */
  remove(name: string): PromiseOrValue<boolean>;
  close(): Promise<void>;
}

/** Returns `<kind>/<owner>`: records are counted by this prefix of their names. */
export function nameOwnerOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/'));
}

/** @throws RangeError if the text is longer than `MAX_RECORD_BYTES` */
export function checkRecordText(text: string): void {
  if (Buffer.byteLength(text) > MAX_RECORD_BYTES) {
    throw new RangeError(`a record has more than ${MAX_RECORD_BYTES} bytes`);
  }
}
