/**
 * Tables of a chain's LMDB environment, and the layout of their keys and values. Integers are big-endian, and a number in parentheses is a length in
 * bytes.
 */
import type { Database, RootDatabase } from 'lmdb';
import { LmdbEnvironment } from '../../../util/lmdb-environment.ts';
import type { LogTables } from './log-index.ts';
import { PostingTable } from './posting-table.ts';
import { VersionedTable } from './versioned-table.ts';

/** Version of the table layout; every change of the layout increments it. A store with another version is rejected. */
export const SCHEMA_VERSION = 2;

export type BinaryTable = Database<Buffer, Buffer>;

export type Tables = {
  /** Metadata of the store, by name. */
  readonly meta: BinaryTable;
  /** number (8) -> RLP [hash, total difficulty, header]. */
  readonly headers: BinaryTable;
  /** hash (32) -> number (8). */
  readonly numbers: BinaryTable;
  /** number (8) -> RLP [transactions, uncles, withdrawals?]. */
  readonly bodies: BinaryTable;
  /** number (8) -> receipts in the encoding of the store (`codecs/receipt`). */
  readonly receipts: BinaryTable;
  /** address (20) -> account, with its history. */
  readonly accounts: VersionedTable;
  /** address (20), slot (32) -> value without leading zeros, with its history. */
  readonly slots: VersionedTable;
  /** path -> node of the state trie at the head. */
  readonly accountTrie: BinaryTable;
  /** hash of an address (32), path -> node of the account's storage trie at the head. */
  readonly storageTries: BinaryTable;
  /** hash (32) -> contract code. */
  readonly codes: BinaryTable;
  /** Indexes derived from the blocks; undefined if the store is opened for reading and has no indexes yet. */
  readonly indexes: IndexTables | undefined;
  /**
   * number (8) -> keys that the block changed (block-changes), for the last `STORED_CHANGES` blocks. Undefined if the store is opened for reading and
   * an earlier version of this program wrote it. Blocks that an earlier version of this program imported have no rows.
   */
  readonly changes: BinaryTable | undefined;
  /**
   * number (8) -> block access list (RLP), for the last `STORED_ACCESS_LISTS` blocks. Undefined if the store is opened for reading and an earlier
   * version of this program wrote it.
   */
  readonly accessLists: BinaryTable | undefined;
};

/** LMDB environment of a chain. */
export type Store = LmdbEnvironment<Tables>;

/** Indexes of transactions and logs. Each index is derived from the blocks up to the number under the key `META_INDEXED`. */
export type IndexTables = {
  /** hash of a transaction (32) -> number of its block (8), index in the block (4). */
  readonly transactions: BinaryTable;
} & LogTables;

const MAX_TABLES = 24;
const ADDRESS_LENGTH = 20;
const SLOT_LENGTH = 32;

/** LMDB's own name for its file in the environment's folder. */
export const DATA_FILE = 'data.mdb';

/**
 * Opens the environment in a folder; creates it unless `readOnly` is set.
 * @throws Error when the layout of the store differs from this program's
 */
export function openStore(path: string, readOnly: boolean): Store {
  const options = { path, readOnly, maxDbs: MAX_TABLES, encoding: 'binary', keyEncoding: 'binary' } as const;
  return new LmdbEnvironment(options, (root) => openTables(root, readOnly));
}

function openTables(root: RootDatabase, readOnly: boolean): Tables {
  const table = (name: string): BinaryTable =>
    root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
  const versioned = (name: string, keyLength: number): VersionedTable =>
    new VersionedTable(table(name), table(`${name}-history`), keyLength);
  // If an import was killed before it created the tables, opening the store for reading finds no `meta` table.
  const meta = table('meta') as BinaryTable | undefined;
  if (meta === undefined || (readOnly && meta.get(META_SCHEMA) === undefined)) {
    throw new Error('the store is empty: import a chain into it first');
  }
  // The version is checked before the other tables are opened, because another layout may have different tables.
  const version = meta.get(META_SCHEMA)?.readUInt8();
  if (version !== undefined && version !== SCHEMA_VERSION) {
    throw new Error(`the store has layout ${version}, but this program reads layout ${SCHEMA_VERSION}`);
  }
  return {
    meta,
    headers: table('headers'),
    numbers: table('numbers'),
    bodies: table('bodies'),
    receipts: table('receipts'),
    accounts: versioned('accounts', ADDRESS_LENGTH),
    slots: versioned('slots', ADDRESS_LENGTH + SLOT_LENGTH),
    accountTrie: table('account-trie'),
    storageTries: table('storage-tries'),
    codes: table('codes'),
    indexes: openIndexes(table),
    changes: table('changes') as BinaryTable | undefined,
    accessLists: table('access-lists') as BinaryTable | undefined,
  };
}

/** Opens the index tables. For a missing table, LMDB creates it if the store is opened for writing, and returns undefined otherwise. */
function openIndexes(table: (name: string) => BinaryTable | undefined): IndexTables | undefined {
  const [transactions, logStarts, logBlocks, logTerms, logTermsClosed] = INDEX_TABLES.map(table);
  if (!transactions || !logStarts || !logBlocks || !logTerms || !logTermsClosed) return undefined;
  return { transactions, logStarts, logBlocks, logTerms: new PostingTable(logTerms, logTermsClosed) };
}

/** Names of the tables in `IndexTables`. */
export const INDEX_TABLES: readonly string[] = [
  'transactions',
  'log-starts',
  'log-blocks',
  'log-terms',
  'log-terms-closed',
];

/** Encodes a block number as a key: 8 bytes, big-endian. */
export function numberKey(number: bigint): Buffer {
  const key = Buffer.allocUnsafe(8);
  key.writeBigUInt64BE(number);
  return key;
}

/** Returns a Buffer view of bytes for LMDB, without copying. */
export function viewAsBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

export const META_SCHEMA: Buffer = Buffer.from('schema');
export const META_CONFIG: Buffer = Buffer.from('config');
export const META_HEAD: Buffer = Buffer.from('head');
/** Key whose value is `INDEX_VERSION` (1) and the number of the last block that the indexes cover (8). */
export const META_INDEXED: Buffer = Buffer.from('indexed');
