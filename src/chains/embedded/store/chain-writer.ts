import { type Block, encodeBody } from '../../../../packages/ethereum/codecs/block.ts';
import { headerToRlp } from '../../../../packages/ethereum/codecs/header.ts';
import { encodeStoredReceipts, type StoredReceipt } from '../../../../packages/ethereum/codecs/receipt.ts';
import { encodeRlp } from '../../../../packages/ethereum/primitives/rlp.ts';
import { ChangeCollector, STORED_CHANGES } from './block-changes.ts';
import { ChainReader } from './chain-reader.ts';
import {
  type BinaryTable,
  META_CONFIG,
  META_HEAD,
  META_SCHEMA,
  numberKey,
  openStore,
  SCHEMA_VERSION,
  type Store,
  type Tables,
  viewAsBuffer,
} from './schema.ts';
import type { NodeWrite, StateBatch, StorageTrieWrite } from './state-batch.ts';
import { type IndexProgress, indexBlocks, indexPiece, isIndexed, markIndexed } from './store-indexes.ts';

/** A valid block with the results of its execution that are stored, except its state changes. */
export type ExecutedBlock = {
  readonly block: Block;
  readonly hash: Uint8Array;
  readonly totalDifficulty: bigint;
  readonly receipts: readonly StoredReceipt[];
  /** RLP of the block access list, present from Amsterdam on (EIP-7928). */
  readonly accessList?: Uint8Array | undefined;
};

/** A block encoded for the tables of the store. Until the commit, it takes far less memory and fewer objects than an executed block. */
export type EncodedBlock = {
  readonly number: bigint;
  readonly hash: Uint8Array;
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  readonly receipts: Uint8Array;
  readonly accessList: Uint8Array | undefined;
};

export function encodeExecutedBlock(executed: ExecutedBlock): EncodedBlock {
  const { block, hash, totalDifficulty, receipts, accessList } = executed;
  return {
    number: block.header.number,
    hash,
    header: encodeRlp([hash, totalDifficulty, headerToRlp(block.header)]),
    body: encodeBody(block),
    receipts: encodeStoredReceipts(receipts),
    accessList,
  };
}

/** Number of latest blocks whose access lists the store retains: 3,533 epochs of 32 slots, as EIP-7928 requires. */
export const STORED_ACCESS_LISTS = 113_056;

/**
 * Writes to a store. A commit is one LMDB transaction for blocks, receipts, state, indexes and head. If the process dies at any moment, the store
 * is as after the last complete commit.
 */
export class ChainWriter {
  readonly #store: Store;
  readonly #tables: Tables;

  constructor(store: Store) {
    this.#store = store;
    this.#tables = store.tables;
  }

  get isEmpty(): boolean {
    return this.#tables.meta.get(META_CONFIG) === undefined;
  }

  /** @throws Error when the store is empty */
  openReader(): ChainReader {
    return new ChainReader(this.#store);
  }

  /**
   * Writes the genesis block.
   * @param config the genesis file's `config` object as JSON text
   * @throws Error when the store is no longer empty, because another process has initialized it
   */
  initialize(config: string, genesis: ExecutedBlock, state: StateBatch): void {
    this.#store.write(() => {
      if (!this.isEmpty) throw new Error('the store is no longer empty: is another import running?');
      this.#tables.meta.putSync(META_SCHEMA, Buffer.of(SCHEMA_VERSION));
      this.#tables.meta.putSync(META_CONFIG, Buffer.from(config));
      this.#putState(state, new ChangeCollector(0));
      const block = encodeExecutedBlock(genesis);
      this.#putBlock(block);
      indexBlocks(this.#tables, [block]);
      markIndexed(this.#tables, block.number);
    });
  }

  /**
   * Replaces the stored configuration. Rules of stored blocks must not change (`compareConfigs`).
   * @param head number of the head to which the configurations were compared
   * @throws Error when another process has moved the head; the store is then unchanged
   */
  replaceConfig(config: string, head: bigint): void {
    this.#store.write(() => {
      this.requireHead(head);
      this.#tables.meta.putSync(META_CONFIG, Buffer.from(config));
    });
  }

  /**
   * Appends consecutive blocks; the first block must follow the head.
   * @throws Error when another process has moved the head; the store is then unchanged
   */
  append(blocks: readonly EncodedBlock[], state: StateBatch): void {
    const first = blocks[0];
    if (first === undefined) return;
    this.#store.write(() => {
      this.requireHead(first.number - 1n);
      if (!isIndexed(this.#tables)) throw new Error('the indexes of the store do not reach its head');
      const changes = new ChangeCollector(Number(first.number));
      this.#putState(state, changes);
      let last = first.number;
      for (const block of blocks) {
        this.#putBlock(block);
        this.#putChanges(block.number, changes);
        last = block.number;
      }
      indexBlocks(this.#tables, blocks);
      markIndexed(this.#tables, last);
    });
  }

  /** Checks that the stored head has the number `number`. @throws Error if the head has another number, because another process has moved the head */
  requireHead(number: bigint): void {
    const head = this.#tables.meta.get(META_HEAD)?.readBigUInt64BE();
    if (head === number) return;
    throw new Error(`the store's head moved to block ${head} while importing: is another import running?`);
  }

  /**
   * Indexes some blocks of a store from an earlier version, in one transaction. Must be called again until all blocks are indexed. After an
   * interruption, indexing continues at the same block; several processes may index concurrently.
   */
  indexPiece(): IndexProgress {
    return this.#store.write(indexPiece);
  }

  async close(): Promise<void> {
    await this.#store.close();
  }

  #putState(
    { accounts, slots, accountTrie, storageTries, codes }: StateBatch,
    changes: ChangeCollector,
  ): void {
    const tables = this.#tables;
    for (const write of accounts) {
      tables.accounts.write(write);
      changes.addAccount(write);
    }
    for (const write of slots) {
      tables.slots.write(write);
      changes.addSlot(write);
    }
    for (const node of accountTrie) putNode(tables.accountTrie, NO_OWNER, node);
    for (const write of storageTries) this.#putStorageTrie(write);
    for (const [hash, code] of codes) tables.codes.putSync(viewAsBuffer(hash), viewAsBuffer(code));
  }

  #putStorageTrie({ owner, isCleared, nodes }: StorageTrieWrite): void {
    const table = this.#tables.storageTries;
    if (isCleared) {
      const range = { start: viewAsBuffer(owner), end: Buffer.concat([owner, PAST_ALL_PATHS]) };
      for (let stored: readonly Buffer[] | undefined; stored?.length !== 0; ) {
        stored = [...table.getKeys({ ...range, limit: MAX_CACHED_KEYS })];
        for (const key of stored) table.removeSync(key);
      }
    }
    for (const node of nodes) putNode(table, owner, node);
  }

  #putChanges(block: bigint, changes: ChangeCollector): void {
    const { changes: table } = this.#tables;
    table?.putSync(numberKey(block), changes.encode(Number(block)));
    const oldest = block - BigInt(STORED_CHANGES);
    if (oldest >= 0n) table?.removeSync(numberKey(oldest));
  }

  #putBlock({ number, hash, header, body, receipts, accessList }: EncodedBlock): void {
    const key = numberKey(number);
    this.#tables.headers.putSync(key, viewAsBuffer(header));
    this.#tables.numbers.putSync(viewAsBuffer(hash), key);
    this.#tables.bodies.putSync(key, viewAsBuffer(body));
    this.#tables.receipts.putSync(key, viewAsBuffer(receipts));
    if (accessList !== undefined) this.#putAccessList(number, accessList);
    this.#tables.meta.putSync(META_HEAD, key);
  }

  #putAccessList(number: bigint, accessList: Uint8Array): void {
    const { accessLists: table } = this.#tables;
    table?.putSync(numberKey(number), viewAsBuffer(accessList));
    const oldest = number - BigInt(STORED_ACCESS_LISTS);
    if (oldest >= 0n) table?.removeSync(numberKey(oldest));
  }
}

/** Maximum number of keys that are read into memory at a time while a storage trie is removed. */
const MAX_CACHED_KEYS = 10_000;
const NO_OWNER = Buffer.alloc(0);
/** Key suffix that sorts after every path, because hex-prefix encoded paths of inner nodes begin with the digit 0 or 1. */
const PAST_ALL_PATHS = Buffer.of(0xff);

function putNode(table: BinaryTable, owner: Uint8Array, [path, encoded]: NodeWrite): void {
  const key = Buffer.concat([owner, path]);
  if (encoded === undefined) table.removeSync(key);
  else table.putSync(key, viewAsBuffer(encoded));
}

/** Opens the store in a folder for writing; creates it if it does not exist. @throws Error when the layout differs */
export function openChainWriter(path: string): ChainWriter {
  return new ChainWriter(openStore(path, false));
}
