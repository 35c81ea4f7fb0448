import type { EncodedBlock } from './chain-writer.ts';
import { LogIndexBatch } from './log-index.ts';
import { type IndexTables, META_HEAD, META_INDEXED, numberKey, type Tables, viewAsBuffer } from './schema.ts';

/** Version of the indexes; indexes of another version are rebuilt when a store is opened for writing. */
const INDEX_VERSION = 3;

/** Maximum number of blocks and of receipt bytes per LMDB transaction while an existing store is indexed. */
const PIECE_BLOCKS = 512;
const PIECE_BYTES = 1024 * 1024;

/** Block number of a transaction, and its index in the block. */
export type TransactionPosition = { readonly number: bigint; readonly index: number };

/** Number of indexed blocks, and number of all blocks. */
export type IndexProgress = { readonly done: bigint; readonly total: bigint };

/** Block data from which the indexes are built. */
type IndexedBlock = Pick<EncodedBlock, 'number' | 'receipts'>;

/** Returns the number of the first block that the indexes do not cover. */
function readNext({ meta }: Tables): bigint {
  const stored = meta.get(META_INDEXED);
  return stored === undefined || stored[0] !== INDEX_VERSION ? 0n : stored.readBigUInt64BE(1) + 1n;
}

function readHead({ meta }: Tables): bigint {
  const number = meta.get(META_HEAD);
  if (number === undefined) throw new Error('the store has no head');
  return number.readBigUInt64BE();
}

/**
 * Returns whether the indexes cover all blocks. The indexes end below the head if an earlier version without indexes has imported the last blocks.
 */
export function isIndexed(tables: Tables): boolean {
  return tables.indexes !== undefined && readNext(tables) === readHead(tables) + 1n;
}

/** Records the last indexed block. Must be called within a write transaction, after `indexBlocks`. */
export function markIndexed({ meta }: Tables, last: bigint): void {
  meta.putSync(META_INDEXED, Buffer.concat([Buffer.of(INDEX_VERSION), numberKey(last)]));
}

/** Adds blocks to the indexes; the first block must follow the last indexed block. Must be called within a write transaction. */
export function indexBlocks(tables: Tables, blocks: readonly IndexedBlock[]): void {
  const indexes = requireIndexes(tables);
  const [first] = blocks;
  if (first === undefined) return;
  const logs = new LogIndexBatch(indexes, first.number);
  const entries: (readonly [hash: Buffer, position: Buffer])[] = [];
  for (const { number, receipts } of blocks) {
    logs.add(number, receipts, (hashAt, index) => {
      const position = Buffer.allocUnsafe(POSITION_LENGTH);
      position.writeBigUInt64BE(number);
      position.writeUInt32BE(index, NUMBER_LENGTH);
      entries.push([viewAsBuffer(receipts.subarray(hashAt, hashAt + HASH_LENGTH)), position]);
    });
  }
  // With writes in key order, LMDB modifies each B-tree page only once.
  entries.sort(([a], [b]) => a.compare(b));
  for (const [hash, position] of entries) indexes.transactions.putSync(hash, position);
  logs.write();
}

const HASH_LENGTH = 32;
const NUMBER_LENGTH = 8;
const POSITION_LENGTH = NUMBER_LENGTH + 4;

/**
 * Indexes up to `PIECE_BLOCKS` stored blocks after the last indexed block. Must be called within a write transaction.
 * @throws Error when the store lacks a block's receipts
 */
export function indexPiece(tables: Tables): IndexProgress {
  const total = readHead(tables) + 1n;
  let next = readNext(tables);
  if (next === 0n) clearIndexes(requireIndexes(tables));
  const blocks: IndexedBlock[] = [];
  for (let bytes = 0; next < total && blocks.length < PIECE_BLOCKS && bytes < PIECE_BYTES; next++) {
    const receipts = tables.receipts.get(numberKey(next));
    if (receipts === undefined) throw new Error(`the store lacks the receipts of block ${next}`);
    blocks.push({ number: next, receipts });
    bytes += receipts.length;
  }
  if (blocks.length > 0) {
    indexBlocks(tables, blocks);
    markIndexed(tables, next - 1n);
  }
  return { done: next, total };
}

/** Clears all index tables before indexing starts at block 0, because they may have the layout of another version. */
function clearIndexes({ transactions, logStarts, logBlocks, logTerms }: IndexTables): void {
  for (const table of [transactions, logStarts, logBlocks]) table.clearSync();
  logTerms.clear();
}

/** @throws Error when the store has no indexes */
export function findTransaction(tables: Tables, hash: Uint8Array): TransactionPosition | undefined {
  const position = requireIndexes(tables).transactions.get(viewAsBuffer(hash));
  if (position === undefined) return undefined;
  return { number: position.readBigUInt64BE(), index: position.readUInt32BE(NUMBER_LENGTH) };
}

/** @throws Error when the store has no indexes */
export function requireIndexes({ indexes }: Tables): IndexTables {
  if (indexes === undefined) throw new Error('the store has no indexes: open it once with write access');
  return indexes;
}
