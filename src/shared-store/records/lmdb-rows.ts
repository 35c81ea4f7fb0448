import { randomUUID } from 'node:crypto';
import type { Database, RangeOptions, RootDatabase } from 'lmdb';
import { nameOwnerOf, type StoredRecord } from './record-table.ts';

/** Stored row of a record; `expiresAt` is Unix ms. */
type Row = StoredRecord & { readonly expiresAt: number };

/** Number and total text length of an owner's records of one kind, including expired records until they are swept. */
type Sum = { readonly count: number; readonly bytes: number };

/** Length of a record's text. `true` if an earlier version wrote the record without its length; the length must then be read from the row. */
type Length = number | true;

/** Name, expiry and length of a record: enough to remove it. */
export type Due = { readonly name: string; readonly expiresAt: number; readonly length: Length };

export type RowTables = {
  readonly rows: Database<Row, string>;
  readonly sums: Database<Sum, string>;
  /** Text lengths by expiry and name. */
  readonly expiries: Database<Length, [expiresAt: number, name: string]>;
  /** Text lengths by owner, expiry and name. `byOwner` may lack records; `expiries` has them all. */
  readonly byOwner: Database<Length, [owner: string, expiresAt: number, name: string]>;
};

export const ROW_TABLES = 4;
/**
 * Maximum number of records that opening adds to `byOwner`, which earlier versions did not write. Further records expire without an entry in
 * `byOwner`.
 */
const MAX_ENTERED = 65_536;
const NONE: Sum = { count: 0, bytes: 0 };
/** Key part that sorts after any expiry time. */
const LAST = Number.MAX_VALUE;
/** Key part that sorts after any name. */
const LAST_NAME = '\u{10ffff}';

/** Opens the tables, and adds records of an earlier version to `byOwner`. */
export function openRowTables(root: RootDatabase): RowTables {
  const tables: RowTables = {
    rows: root.openDB({ name: 'rows', encoding: 'msgpack' }),
    sums: root.openDB({ name: 'sums', encoding: 'msgpack' }),
    expiries: root.openDB({ name: 'expiries', encoding: 'msgpack' }),
    byOwner: root.openDB({ name: 'byOwner', encoding: 'msgpack' }),
  };
  const { expiries, byOwner } = tables;
  if (byOwner.getKeysCount({ limit: 1 }) > 0) return tables;
  const old = [...expiries.getRange({ limit: MAX_ENTERED })];
  if (old.length > 0)
    root.transactionSync(() => {
      for (const { key, value } of old) byOwner.putSync([nameOwnerOf(key[1]), ...key], value);
    });
  return tables;
}

/**
 * Rows of records with the sums of their owners and their expiries, in LMDB. Only three methods decode a row: `get`, and `drop` and `shorten` for the
 * row that they change. Changes must run in a write transaction.
 */
export class LmdbRows {
  readonly #tables: RowTables;

  constructor(tables: RowTables) {
    this.#tables = tables;
  }

  get(name: string): Row | undefined {
    return this.#tables.rows.get(name);
  }

  has(name: string): boolean {
    return this.#tables.rows.doesExist(name);
  }

  sumOf(owner: string): Sum {
    return this.#tables.sums.get(owner) ?? NONE;
  }

  put(name: string, text: string, expiresAt: number): void {
    const { rows, expiries, byOwner } = this.#tables;
    const owner = nameOwnerOf(name);
    rows.putSync(name, { text, version: randomUUID(), expiresAt });
    expiries.putSync([expiresAt, name], text.length);
    byOwner.putSync([owner, expiresAt, name], text.length);
    this.#add(owner, 1, text.length);
  }

  /** Removes a record, if it exists. */
  drop(name: string): void {
    const row = this.get(name);
    if (row !== undefined) this.dropDue({ name, expiresAt: row.expiresAt, length: row.text.length });
  }

  /** Removes a record that one of the `list` methods returned. */
  dropDue({ name, expiresAt, length }: Due): void {
    const { rows, expiries, byOwner } = this.#tables;
    const owner = nameOwnerOf(name);
    byOwner.removeSync([owner, expiresAt, name]);
    // A process of an earlier version that shares the folder removes and renews records without updating `byOwner`.
    if (!expiries.doesExist([expiresAt, name])) return;
    const bytes = length === true ? (this.get(name)?.text.length ?? 0) : length;
    expiries.removeSync([expiresAt, name]);
    rows.removeSync(name);
    this.#add(owner, -1, -bytes);
  }

  /** Shortens the expiry of a record that one of the `list` methods returned. */
  shorten(due: Due, expiresAt: number): void {
    const row = this.get(due.name);
    this.dropDue(due);
    if (row?.expiresAt === due.expiresAt) this.put(due.name, row.text, expiresAt);
  }

  /** Returns records that expire before a time, earliest first. */
  listDue(before: number, limit: number): Due[] {
    const found = this.#tables.expiries.getRange({ end: [before, ''], limit });
    return [...found].map(({ key: [expiresAt, name], value: length }) => ({ name, expiresAt, length }));
  }

  /** Returns records that expire after a time, latest first. */
  listLate(after: number, limit: number): Due[] {
    const found = this.#tables.expiries.getRange({
      start: [LAST, ''],
      end: [after, LAST_NAME],
      reverse: true,
      limit,
    });
    return [...found].map(({ key: [expiresAt, name], value: length }) => ({ name, expiresAt, length }));
  }

  /** Returns an owner's records that expire before a time, earliest first. */
  listDueOf(owner: string, before: number, limit: number): Due[] {
    return this.#listOf({ start: [owner, 0, ''], end: [owner, before, ''], limit });
  }

  listLateOf(owner: string, after: number, limit: number): Due[] {
    return this.#listOf({ start: [owner, LAST, ''], end: [owner, after, LAST_NAME], reverse: true, limit });
  }

  #listOf(bounds: RangeOptions): Due[] {
    const found = this.#tables.byOwner.getRange(bounds);
    return [...found].map(({ key: [, expiresAt, name], value: length }) => ({ name, expiresAt, length }));
  }

  #add(owner: string, count: number, bytes: number): void {
    const { sums } = this.#tables;
    const before = this.sumOf(owner);
    const after = { count: before.count + count, bytes: before.bytes + bytes };
    if (after.count <= 0) sums.removeSync(owner);
    else sums.putSync(owner, after);
  }
}
