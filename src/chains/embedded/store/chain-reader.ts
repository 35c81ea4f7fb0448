import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ChainConfig, parseChainConfig } from '../../../../packages/ethereum/codecs/chain-config.ts';
import { type Header, headerFromRlp } from '../../../../packages/ethereum/codecs/header.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import {
  asBytes,
  asInteger,
  asList,
  decodeRlp,
  type RlpItem,
} from '../../../../packages/ethereum/primitives/rlp.ts';
import { type BlockChangedKeys, decodeBlockChanges } from './block-changes.ts';
import type { LogTables } from './log-index.ts';
import {
  DATA_FILE,
  META_CONFIG,
  META_HEAD,
  numberKey,
  openStore,
  type Store,
  type Tables,
  viewAsBuffer,
} from './schema.ts';
import { findTransaction, isIndexed, requireIndexes, type TransactionPosition } from './store-indexes.ts';
import type { KeyAge, KeyRange, Version } from './versioned-table.ts';

/** A canonical header with its hash and total difficulty. */
export type StoredHeader = {
  readonly header: Header;
  readonly hash: Uint8Array;
  /** Lower-case `0x` text of `hash`. */
  readonly hashText: string;
  readonly totalDifficulty: bigint;
};

/** Maximum number of cached headers, which is the reach of BLOCKHASH; each takes at most a few hundred bytes. */
const MAX_KNOWN_HEADERS = 256;

/** Interval at which the stored configuration is read again, ms: the interval at which `EngineHeads` looks for a new head. */
const CONFIG_AGE_MS = 100;

/** Reads blocks and state by block number, and trie nodes of the head by path. All reads are synchronous and see the last commit. */
export class ChainReader {
  readonly #store: Store;
  readonly #tables: Tables;
  #config: ChainConfig;
  /** Stored form of `#config`. */
  #configText: Buffer;
  /** Time of the last comparison with the store (`performance.now`). */
  #configReadAt: number = performance.now();
  /** Recently read headers, least recently used first. Headers are cached because every call reads the head; stored blocks never change. */
  readonly #known = new Map<bigint, StoredHeader>();

  /** @throws Error when the store is empty */
  constructor(store: Store) {
    this.#store = store;
    this.#tables = store.tables;
    const config = this.#tables.meta.get(META_CONFIG);
    if (config === undefined) throw new Error('the store is empty: import a chain into it first');
    this.#configText = config;
    this.#config = parseConfig(config);
  }

  /**
   * Fork rules of the chain. An import may change the rules of blocks above the head. The change is seen before the first block that has the
   * new rules is read, and within `CONFIG_AGE_MS` without such a block.
   */
  get config(): ChainConfig {
    if (performance.now() - this.#configReadAt > CONFIG_AGE_MS) this.#readConfig();
    return this.#config;
  }

  /** JSON text of the stored `config` object. */
  get configText(): string {
    return this.#configText.toString('utf8');
  }

  #readConfig(): void {
    this.#configReadAt = performance.now();
    const stored = this.#tables.meta.get(META_CONFIG);
    if (stored === undefined || stored.equals(this.#configText)) return;
    this.#config = parseConfig(stored);
    this.#configText = stored;
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
    // The same LMDB snapshot as the header's: the commit of a block is after the commit of its rules.
    this.#readConfig();
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
    return this.#tables.numbers.get(viewAsBuffer(hash))?.readBigUInt64BE();
  }

  /** Returns whether the indexes cover every block. The indexes are absent or incomplete if an earlier version wrote the store. */
  get isIndexed(): boolean {
    return isIndexed(this.#tables);
  }

  /**
   * Returns block number and index of the transaction with this hash (32 bytes); undefined if there is none.
   * @throws Error when the store has no indexes
   */
  findTransaction(hash: Uint8Array): TransactionPosition | undefined {
    return findTransaction(this.#tables, hash);
  }

  /** Tables of the log index. @throws Error when the store has no indexes */
  get logTables(): LogTables {
    return requireIndexes(this.#tables);
  }

  /** Returns the body of a block: RLP [transactions, uncles, withdrawals?]. */
  getBody(number: bigint): Uint8Array | undefined {
    return this.#tables.bodies.get(numberKey(number));
  }

  getReceipts(number: bigint): Uint8Array | undefined {
    return this.#tables.receipts.get(numberKey(number));
  }

  /** Returns a block's access list as RLP; undefined for a block before Amsterdam, or if the store has pruned the list. */
  getAccessList(number: bigint): Uint8Array | undefined {
    return this.#tables.accessLists?.get(numberKey(number));
  }

  /** Returns the encoded account after `block` (`decodeStoredAccount`), with the block that set it. */
  findAccount(address: Uint8Array, block: number): Version | undefined {
    return this.#tables.accounts.find(address, block);
  }

  /**
   * Returns a slot's value after `block`, without leading zeros.
   * @param key address (20 bytes) and slot (32 bytes)
   */
  findSlot(key: Uint8Array, block: number): Version | undefined {
    return this.#tables.slots.find(key, block);
  }

  /** Lists account keys (20 bytes), each with the number of the block that changed the account last. */
  listAccounts(range: KeyRange): KeyAge[] {
    return this.#tables.accounts.listKeys(range);
  }

  /** Lists slot keys (address and slot, 52 bytes), each with the number of the block that changed the slot last. */
  listSlots(range: KeyRange): KeyAge[] {
    return this.#tables.slots.listKeys(range);
  }

  /** Returns the keys of accounts and slots that a block changed; undefined when the store has no list for the block. */
  getChanges(block: bigint): BlockChangedKeys | undefined {
    const row = this.#tables.changes?.get(numberKey(block));
    return row && decodeBlockChanges(row);
  }

  /** Returns a node of the head's state trie. @param path path of the node, hex-prefix encoded (yellow paper, appendix C) */
  getAccountNode(path: Uint8Array): Uint8Array | undefined {
    return this.#tables.accountTrie.get(viewAsBuffer(path));
  }

  /** Returns a node of an account's storage trie at the head. @param owner hash of the account's address */
  getStorageNode(owner: Uint8Array, path: Uint8Array): Uint8Array | undefined {
    return this.#tables.storageTries.get(Buffer.concat([owner, path]));
  }

  getCode(hash: Uint8Array): Uint8Array | undefined {
    return this.#tables.codes.get(viewAsBuffer(hash));
  }

  async close(): Promise<void> {
    await this.#store.close();
  }
}

function parseConfig(stored: Buffer): ChainConfig {
  return parseChainConfig(JSON.parse(stored.toString('utf8')));
}

/** Opens an existing store. @throws Error when the folder contains no store, or a store with another layout */
export function openChainReader(path: string): ChainReader {
  // LMDB would create a missing folder and then fail with a system error.
  if (!existsSync(join(path, DATA_FILE))) throw new Error(`there is no chain store in ${path}`);
  return new ChainReader(openStore(path, true));
}
