/** The tables of a chain's LMDB environment and the layout of their keys. Integers are big-endian. */
import { type Database, open, type RootDatabase } from 'lmdb';

/** Raised with every change of layout; a store of another version is refused. */
export const SCHEMA_VERSION = 1;

export type BinaryTable = Database<Buffer, Buffer>;

export type Tables = {
  readonly root: RootDatabase<Buffer, Buffer>;
  /** Facts about the store itself, by name. */
  readonly meta: BinaryTable;
  /** number (8) -> RLP [hash, total difficulty, header]. */
  readonly headers: BinaryTable;
  /** hash (32) -> number (8). */
  readonly numbers: BinaryTable;
  /** number (8) -> RLP [transactions, uncles, withdrawals?]. */
  readonly bodies: BinaryTable;
  /** number (8) -> stored receipts (chain/receipt). */
  readonly receipts: BinaryTable;
  /** hash (32) -> trie node. Nodes are never deleted: every block's state stays readable. */
  readonly nodes: BinaryTable;
  /** hash (32) -> contract code. */
  readonly codes: BinaryTable;
};

const MAX_TABLES = 12;

/** LMDB's own name for its file in the environment's folder. */
export const DATA_FILE = 'data.mdb';

/** Opens (and with `readOnly` unset, creates) the environment in a folder. */
export function openTables(path: string, readOnly: boolean): Tables {
  const root = open<Buffer, Buffer>({
    path,
    readOnly,
    maxDbs: MAX_TABLES,
    encoding: 'binary',
    keyEncoding: 'binary',
  });
  const table = (name: string): BinaryTable =>
    root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
  return {
    root,
    meta: table('meta'),
    headers: table('headers'),
    numbers: table('numbers'),
    bodies: table('bodies'),
    receipts: table('receipts'),
    nodes: table('nodes'),
    codes: table('codes'),
  };
}

export function numberKey(number: bigint): Buffer {
  const key = Buffer.allocUnsafe(8);
  key.writeBigUInt64BE(number);
  return key;
}

/** A view of bytes as the Buffer that LMDB takes; nothing is copied. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

export const META_SCHEMA: Buffer = Buffer.from('schema');
export const META_CONFIG: Buffer = Buffer.from('config');
export const META_HEAD: Buffer = Buffer.from('head');
