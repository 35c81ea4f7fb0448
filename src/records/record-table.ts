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
 * cannot be reached, or has no room.
 */
export interface RecordTable {
  read(name: string): PromiseOrValue<StoredRecord | undefined>;
  /**
   * Writes a record, over one of this name, for `lifeMs` from now.
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
