import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { UntracedError } from '../../../packages/ethereum/primitives/untraced-error.ts';

/** Record as stored. */
export type StoredRecord = {
  /** JSON text, at most `MAX_RECORD_BYTES`. */
  readonly text: string;
  /** Changes with each write. */
  readonly version: string;
};

export const MAX_RECORD_BYTES: number = 256 * 1024;
/** Maximum total size of an owner's records of one kind, bytes. */
export const MAX_OWNER_BYTES: number = 8 * 1024 * 1024;
/** Maximum lifetime of a record, ms. */
export const MAX_LIFE_MS: number = 2 * 86_400_000;
/**
 * Maximum records that a new record of a full owner removes (expired ones not swept yet, or the oldest ones to make room), which bounds the
 * duration of a write.
 */
export const MAX_SWEPT_FOR_ROOM: number = 256;

export type WhenFull = 'refuse' | 'removeOldest';

/** The table cannot be read or written now. With a server, the outcome of a write is unknown. */
export class RecordTableError extends UntracedError {
  constructor(message: string) {
    super(message);
    this.name = 'RecordTableError';
  }
}

/**
 * Small records with expiry, shared by the processes of a service: filters, sent transactions. Names are `<kind>/<owner>/<id>`; the number of
 * an owner's records is bounded. Every operation throws or rejects with `RecordTableError` where the table is unavailable, or has no room.
 * The cost does not depend on the number of an owner's records: their number and bytes are stored, expired ones are removed in bounded
 * parts, and `create` refuses by the stored sums, without a write.
 */
export interface RecordTable {
  read(name: string): PromiseOrValue<StoredRecord | undefined>;
  /**
   * Writes a record for `lifeMs` from now, replacing one of the same name.
   * @param lifeMs the same for all records of a kind, unless a setting changes it. Records of a full owner are shortened to the expiry of the
   * new one, because they may have been written while the clock was ahead
   * @param whenFull behaviour where the owner already has `maxOfOwner` records of that kind, or `MAX_OWNER_BYTES` of them: refuse, or remove
   * those that expire first
   * @returns false where nothing was written
   */
  create(
    name: string,
    text: string,
    lifeMs: number,
    maxOfOwner: number,
    whenFull?: WhenFull,
  ): PromiseOrValue<boolean>;
  /** Replaces a record that still has this version, and renews its lifetime. @returns false for another version */
  replace(name: string, version: string, text: string, lifeMs: number): PromiseOrValue<boolean>;
  /** @returns whether the record existed */
  remove(name: string): PromiseOrValue<boolean>;
  close(): Promise<void>;
}

/** Returns `<kind>/<owner>`, the unit in which records are counted. */
export function nameOwnerOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/'));
}

/** @throws RangeError for a record above `MAX_RECORD_BYTES` */
export function checkRecordText(text: string): void {
  if (Buffer.byteLength(text) > MAX_RECORD_BYTES) {
    throw new RangeError(`a record has more than ${MAX_RECORD_BYTES} bytes`);
  }
}
