import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ChainConfig, parseChainConfig } from '../chain/chain-config.ts';
import { type Header, headerFromRlp } from '../chain/header.ts';
import { bytesToHex } from '../primitives/hex.ts';
import { asBytes, asInteger, asList, decodeRlp, type RlpItem } from '../primitives/rlp.ts';
import { type BlockChanges, decodeBlockChanges } from './block-changes.ts';
import type { LogTables } from './log-index.ts';
import {
  asBuffer,
  DATA_FILE,
  META_CONFIG,
  META_HEAD,
  numberKey,
  openStore,
  type Store,
  type Tables,
} from './schema.ts';
import { findTransaction, isIndexed, requireIndexes, type TransactionPosition } from './store-indexes.ts';
import type { KeyAge, KeyRange, Version } from './versioned-table.ts';

/** A canonical header with what is known about its place in the chain. */
export type StoredHeader = {
  readonly header: Header;
  readonly hash: Uint8Array;
  /** Lower-case `0x` text of `hash`. */
  readonly hashText: string;
  readonly totalDifficulty: bigint;
};

/** As many as BLOCKHASH reaches back, of at most a few hundred bytes each. */
const MAX_KNOWN_HEADERS = 256;

/** Reads a store: blocks and state by number, the trie of the head by path. All reads are synchronous and see the last commit. */
export class ChainReader {
  readonly config: ChainConfig;
  readonly #store: Store;
  readonly #tables: Tables;
  /** Headers that were read lately, in that order: the head above all, which every call asks for. Blocks never change. */
  readonly #known = new Map<bigint, StoredHeader>();

  /** @throws Error when the store is empty. */
  constructor(store: Store) {
    this.#store = store;
    this.#tables = store.tables;
    const config = this.#tables.meta.get(META_CONFIG);
    if (config === undefined) throw new Error('the store is empty: import a chain into it first');
    this.config = parseChainConfig(JSON.parse(config.toString('utf8')));
  }

  get head(): StoredHeader {
    const number = this.#tables.meta.get(META_HEAD);
    const stored = number && this.getHeader(number.readBigUInt64BE());
    if (!stored) throw new Error('the store has no head');
    return stored;
  }

  getHeader(number: bigint): StoredHeader | undefined {
    return this.#known.get(number) ?? this.#readHeader(number);
  }

  #readHeader(number: bigint): StoredHeader | undefined {
    if (number >= 2n ** 64n) return undefined;
    const encoded = this.#tables.headers.get(numberKey(number));
    if (encoded === undefined) return undefined;
    const [hash, totalDifficulty, header] = asList(decodeRlp(encoded), 'stored header');
    const hashBytes = asBytes(hash, 'hash', 32);
    const stored = {
      header: headerFromRlp(header as RlpItem),
      hash: hashBytes,
      hashText: bytesToHex(hashBytes),
      totalDifficulty: asInteger(totalDifficulty, 'total difficulty'),
    };
    const [oldest] = this.#known.size < MAX_KNOWN_HEADERS ? [] : this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(number, stored);
    return stored;
  }

  getNumberByHash(hash: Uint8Array): bigint | undefined {
    return this.#tables.numbers.get(asBuffer(hash))?.readBigUInt64BE();
  }

  /** Whether the indexes cover every block: a store of an earlier version of this program has none. */
  get isIndexed(): boolean {
    return isIndexed(this.#tables);
  }

  /** Where the transaction with this hash (32) is. @throws Error when the store has no indexes */
  findTransaction(hash: Uint8Array): TransactionPosition | undefined {
    return findTransaction(this.#tables, hash);
  }

  /** What logs are found by. @throws Error when the store has no indexes */
  get logTables(): LogTables {
    return requireIndexes(this.#tables);
  }

  /** RLP [transactions, uncles, withdrawals?]. */
  getBody(number: bigint): Uint8Array | undefined {
    return this.#tables.bodies.get(numberKey(number));
  }

  getReceipts(number: bigint): Uint8Array | undefined {
    return this.#tables.receipts.get(numberKey(number));
  }

  /** A block's access list, RLP; undefined before Amsterdam, and where the store does not keep it any more. */
  getAccessList(number: bigint): Uint8Array | undefined {
    return this.#tables.accessLists?.get(numberKey(number));
  }

  /** An account after `block`, as the engine encodes it. */
  findAccount(address: Uint8Array, block: number): Version | undefined {
    return this.#tables.accounts.find(address, block);
  }

  /**
   * A slot's value after `block`, without leading zeros.
   * @param key address (20) and slot (32)
   */
  findSlot(key: Uint8Array, block: number): Version | undefined {
    return this.#tables.slots.find(key, block);
  }

  /** Keys of accounts (20) and the blocks that set them last. */
  listAccounts(range: KeyRange): KeyAge[] {
    return this.#tables.accounts.listKeys(range);
  }

  /** Keys of slots (address, slot: 52) and the blocks that set them last. */
  listSlots(range: KeyRange): KeyAge[] {
    return this.#tables.slots.listKeys(range);
  }

  /** What a block changed; undefined where the store has no list of it. */
  getChanges(block: bigint): BlockChanges | undefined {
    const row = this.#tables.changes?.get(numberKey(block));
    return row && decodeBlockChanges(row);
  }

  /** A node of the head's state trie. `path` is hex-prefix encoded. */
  getAccountNode(path: Uint8Array): Uint8Array | undefined {
    return this.#tables.accountTrie.get(asBuffer(path));
  }

  /** A node of a storage trie of the head. `owner` is the hash of the account's address. */
  getStorageNode(owner: Uint8Array, path: Uint8Array): Uint8Array | undefined {
    return this.#tables.storageTries.get(Buffer.concat([owner, path]));
  }

  getCode(hash: Uint8Array): Uint8Array | undefined {
    return this.#tables.codes.get(asBuffer(hash));
  }

  async close(): Promise<void> {
    await this.#store.close();
  }
}

/** Opens a store that exists already. @throws Error when there is none, or one of another layout. */
export function openChainReader(path: string): ChainReader {
  // Opening would create the folder and then fail with a system error.
  if (!existsSync(join(path, DATA_FILE))) throw new Error(`there is no chain store in ${path}`);
  return new ChainReader(openStore(path, true));
}
