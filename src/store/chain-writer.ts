import { type Block, encodeBody } from '../chain/block.ts';
import { headerToRlp } from '../chain/header.ts';
import { encodeStoredReceipts, type StoredReceipt } from '../chain/receipt.ts';
import { encodeRlp } from '../primitives/rlp.ts';
import { ChainReader, checkSchema } from './chain-reader.ts';
import {
  asBuffer,
  META_CONFIG,
  META_HEAD,
  META_SCHEMA,
  numberKey,
  openTables,
  SCHEMA_VERSION,
  type Tables,
} from './schema.ts';

/** A block that was executed and found right, with everything that it adds to the store. */
export type ExecutedBlock = {
  readonly block: Block;
  readonly hash: Uint8Array;
  readonly totalDifficulty: bigint;
  readonly receipts: readonly StoredReceipt[];
};

/** State that is new since the last commit: trie nodes and codes by hash. */
export type NewState = {
  readonly nodes: Iterable<readonly [hash: Uint8Array, encoded: Uint8Array]>;
  readonly codes: Iterable<readonly [hash: Uint8Array, code: Uint8Array]>;
};

/**
 * The one writer of a store. A commit is one LMDB transaction: blocks, receipts, state and head move
 * together, so that a process that dies at any moment leaves the last commit whole.
 */
export class ChainWriter {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  get isEmpty(): boolean {
    return this.#tables.meta.get(META_CONFIG) === undefined;
  }

  /** @throws Error when the store is empty. */
  openReader(): ChainReader {
    return new ChainReader(this.#tables);
  }

  /**
   * Writes the genesis block.
   * @param config the genesis file's `config` object as JSON text
   * @throws Error when another process has written one meanwhile
   */
  initialize(config: string, genesis: ExecutedBlock, state: NewState): void {
    this.#tables.root.transactionSync(() => {
      if (!this.isEmpty) throw new Error('the store was filled meanwhile: is another import running?');
      this.#tables.meta.putSync(META_SCHEMA, Buffer.of(SCHEMA_VERSION));
      this.#tables.meta.putSync(META_CONFIG, Buffer.from(config));
      this.#putState(state);
      this.#putBlock(genesis);
    });
  }

  /**
   * Appends blocks whose first one follows the head.
   * @throws Error when another process moved the head meanwhile; nothing is written then.
   */
  append(blocks: readonly ExecutedBlock[], state: NewState): void {
    const first = blocks[0];
    if (first === undefined) return;
    this.#tables.root.transactionSync(() => {
      const head = this.#tables.meta.get(META_HEAD)?.readBigUInt64BE();
      if (head !== first.block.header.number - 1n) {
        throw new Error(
          `the store's head moved to block ${head} while importing: is another import running?`,
        );
      }
      this.#putState(state);
      for (const block of blocks) this.#putBlock(block);
    });
  }

  async close(): Promise<void> {
    await this.#tables.root.close();
  }

  #putState({ nodes, codes }: NewState): void {
    for (const [hash, encoded] of nodes) this.#tables.nodes.putSync(asBuffer(hash), asBuffer(encoded));
    for (const [hash, code] of codes) this.#tables.codes.putSync(asBuffer(hash), asBuffer(code));
  }

  #putBlock({ block, hash, totalDifficulty, receipts }: ExecutedBlock): void {
    const key = numberKey(block.header.number);
    const header = encodeRlp([hash, totalDifficulty, headerToRlp(block.header)]);
    this.#tables.headers.putSync(key, asBuffer(header));
    this.#tables.numbers.putSync(asBuffer(hash), key);
    this.#tables.bodies.putSync(key, asBuffer(encodeBody(block)));
    this.#tables.receipts.putSync(key, asBuffer(encodeStoredReceipts(receipts)));
    this.#tables.meta.putSync(META_HEAD, key);
  }
}

/** Opens the store in a folder for writing, creating it when absent. @throws Error on another layout. */
export function openChainWriter(path: string): ChainWriter {
  const tables = openTables(path, false);
  checkSchema(tables);
  return new ChainWriter(tables);
}
