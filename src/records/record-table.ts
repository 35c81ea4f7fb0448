import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import { UntracedError } from '../primitives/untraced-error.ts';

/** A record as it is stored. */
export type StoredRecord = {
  /** JSON text, at most `MAX_RECORD_BYTES`. */
  readonly text: string;
  /** Changes with each write. */
  readonly version: string;
};

export const MAX_RECORD_BYTES: number = 256 * 1024;
/** Of the texts of one owner's records of one kind together. */
export const MAX_OWNER_BYTES: number = 8 * 1024 * 1024;
/** No record is written for longer than this, milliseconds. */
export const MAX_LIFE_MS: number = 2 * 86_400_000;
/**
 * Expired records of a full owner that one new record removes at most, where they have not been swept yet, or the oldest ones
 * that make room for it: no write is longer.
 */
export const MAX_SWEPT_FOR_ROOM: number = 256;

export type WhenFull = 'refuse' | 'removeOldest';

/** The table cannot be read or written now. Of a write it is not known whether it was made, where a server was asked. */
export class RecordTableError extends UntracedError {
  constructor(message: string) {
    super(message);
    this.name = 'RecordTableError';
  }
}

/**
 * Small records that expire, shared by the processes that serve the same: filters, transactions that were sent. Names are
 * `<kind>/<owner>/<id>`; an owner's are counted and bounded. Every operation throws or rejects with `RecordTableError` where the table
 * cannot be reached, or has no room. Each costs about the same, however many records the owner has: their number and bytes are kept beside
 * them, expired ones leave in bounded parts, and `create` refuses by what is kept, without a write.
 */
export interface RecordTable {
  read(name: string): PromiseOrValue<StoredRecord | undefined>;
  /**
   * Writes a record, over one of this name, for `lifeMs` from now.
   * @param lifeMs the same for all records of a kind, unless a setting changes it. Of an owner that is full none lives longer than one that
   * is written now: it may have been written while the clock was ahead
   * @param whenFull what happens where the owner has `maxOfOwner` records of that kind already, or `MAX_OWNER_BYTES` of them: nothing, or
   * those that expire first are removed
   * @returns false where nothing was written
   */
  create(
    name: string,
    text: string,
    lifeMs: number,
    maxOfOwner: number,
    whenFull?: WhenFull,
  ): PromiseOrValue<boolean>;
  /** Replaces a record that is still of this version, and renews its life. @returns false where it is not */
  replace(name: string, version: string, text: string, lifeMs: number): PromiseOrValue<boolean>;
  /** @returns whether there was one */
  remove(name: string): PromiseOrValue<boolean>;
  close(): Promise<void>;
}

/** `<kind>/<owner>`: what is counted together. */
export function nameOwnerOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/'));
}

/** @throws RangeError for a record that no table takes */
export function checkRecordText(text: string): void {
  if (Buffer.byteLength(text) > MAX_RECORD_BYTES) {
    throw new RangeError(`a record of more than ${MAX_RECORD_BYTES} bytes`);
  }
}
