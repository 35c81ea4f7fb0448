import type { EncodedBlock } from './chain-writer.ts';
import { LogIndexBatch } from './log-index.ts';
import { asBuffer, type IndexTables, META_HEAD, META_INDEXED, numberKey, type Tables } from './schema.ts';

/** Raised when the indexes change; those of another version are made again when a store is opened for writing. */
const INDEX_VERSION = 3;

/** Of a store that is brought up to date, in one transaction. */
const PIECE_BLOCKS = 512;
const PIECE_BYTES = 1024 * 1024;

/** Where a transaction is. */
export type TransactionPosition = { readonly number: bigint; readonly index: number };

/** Blocks that the indexes cover, and that there are. */
export type IndexProgress = { readonly done: bigint; readonly total: bigint };

/** The part of a block that the indexes are made from. */
type IndexedBlock = Pick<EncodedBlock, 'number' | 'receipts'>;

/** Number of the first block that the indexes do not cover. */
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
 * Whether the indexes cover all blocks. They may end below the head where a version of this program that knows none
 * has imported into the store since.
 */
export function isIndexed(tables: Tables): boolean {
  return tables.indexes !== undefined && readNext(tables) === readHead(tables) + 1n;
}

/** Within a write transaction, behind `indexBlocks`. */
export function markIndexed({ meta }: Tables, last: bigint): void {
  meta.putSync(META_INDEXED, Buffer.concat([Buffer.of(INDEX_VERSION), numberKey(last)]));
}

/** Within a write transaction: adds blocks that follow the last one that the indexes cover. */
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
      entries.push([asBuffer(receipts.subarray(hashAt, hashAt + HASH_LENGTH)), position]);
    });
  }
  // In the order of the tree each of its pages is touched once.
  entries.sort(([a], [b]) => a.compare(b));
  for (const [hash, position] of entries) indexes.transactions.putSync(hash, position);
  logs.write();
}

const HASH_LENGTH = 32;
const NUMBER_LENGTH = 8;
const POSITION_LENGTH = NUMBER_LENGTH + 4;

/** Within a write transaction: adds the next blocks that the store has. */
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

/** Those of another version. */
function clearIndexes({ transactions, logStarts, logBlocks, logTerms }: IndexTables): void {
  for (const table of [transactions, logStarts, logBlocks]) table.clearSync();
  logTerms.clear();
}

/** @throws Error when the store has no indexes */
export function findTransaction(tables: Tables, hash: Uint8Array): TransactionPosition | undefined {
  const position = requireIndexes(tables).transactions.get(asBuffer(hash));
  if (position === undefined) return undefined;
  return { number: position.readBigUInt64BE(), index: position.readUInt32BE(NUMBER_LENGTH) };
}

export function requireIndexes({ indexes }: Tables): IndexTables {
  if (indexes === undefined)
    throw new Error('the store has no indexes: it has to be opened for writing once');
  return indexes;
}
