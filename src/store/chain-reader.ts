import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ChainConfig, parseChainConfig } from '../chain/chain-config.ts';
import { type Header, headerFromRlp } from '../chain/header.ts';
import { bytesToHex } from '../primitives/hex.ts';
import { asBytes, asInteger, asList, decodeRlp, type RlpItem } from '../primitives/rlp.ts';
import {
  asBuffer,
  DATA_FILE,
  META_CONFIG,
  META_HEAD,
  META_SCHEMA,
  numberKey,
  openTables,
  SCHEMA_VERSION,
  type Tables,
} from './schema.ts';

/** A canonical header with what is known about its place in the chain. */
export type StoredHeader = {
  readonly header: Header;
  readonly hash: Uint8Array;
  /** Lower-case `0x` text of `hash`. */
  readonly hashText: string;
  readonly totalDifficulty: bigint;
};

/** Reads a store: blocks by number, state by hash. All reads are synchronous and see the last commit. */
export class ChainReader {
  readonly config: ChainConfig;
  readonly #tables: Tables;

  /** @throws Error when the store is empty or of another layout. */
  constructor(tables: Tables) {
    this.#tables = tables;
    const config = tables.meta.get(META_CONFIG);
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
    if (number >= 2n ** 64n) return undefined;
    const encoded = this.#tables.headers.get(numberKey(number));
    if (encoded === undefined) return undefined;
    const [hash, totalDifficulty, header] = asList(decodeRlp(encoded), 'stored header');
    const hashBytes = asBytes(hash, 'hash', 32);
    return {
      header: headerFromRlp(header as RlpItem),
      hash: hashBytes,
      hashText: bytesToHex(hashBytes),
      totalDifficulty: asInteger(totalDifficulty, 'total difficulty'),
    };
  }

  getNumberByHash(hash: Uint8Array): bigint | undefined {
    return this.#tables.numbers.get(asBuffer(hash))?.readBigUInt64BE();
  }

  /** RLP [transactions, uncles, withdrawals?]. */
  getBody(number: bigint): Uint8Array | undefined {
    return this.#tables.bodies.get(numberKey(number));
  }

  getReceipts(number: bigint): Uint8Array | undefined {
    return this.#tables.receipts.get(numberKey(number));
  }

  getNode(hash: Uint8Array): Uint8Array | undefined {
    return this.#tables.nodes.get(asBuffer(hash));
  }

  getCode(hash: Uint8Array): Uint8Array | undefined {
    return this.#tables.codes.get(asBuffer(hash));
  }

  async close(): Promise<void> {
    await this.#tables.root.close();
  }
}

/** @throws Error when the layout differs from this program's. */
export function checkSchema(tables: Tables): void {
  const version = tables.meta.get(META_SCHEMA)?.readUInt8();
  if (version !== undefined && version !== SCHEMA_VERSION) {
    throw new Error(`the store has layout ${version}, this program reads layout ${SCHEMA_VERSION}`);
  }
}

/** Opens a store that exists already. @throws Error when there is none. */
export function openChainReader(path: string): ChainReader {
  // Opening would create the folder and then fail with a system error.
  if (!existsSync(join(path, DATA_FILE))) throw new Error(`there is no chain store in ${path}`);
  const tables = openTables(path, true);
  checkSchema(tables);
  return new ChainReader(tables);
}
