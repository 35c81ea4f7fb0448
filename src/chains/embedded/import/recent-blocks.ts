import { type Block, decodeBody } from '../../../../packages/ethereum/codecs/block.ts';
import { hashHeader } from '../../../../packages/ethereum/codecs/header.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import type { ChainReader } from '../store/chain-reader.ts';
import type { Ancestor } from './validate-uncles.ts';

/** Number of blocks that BLOCKHASH can reach. No execution reads the hash of an older block. */
const WINDOW = 256n;

/** Cache of the last imported blocks, including blocks that are not committed yet. */
export class RecentBlocks {
  readonly #reader: ChainReader;
  readonly #added = new Map<bigint, Ancestor>();

  constructor(reader: ChainReader) {
    this.#reader = reader;
  }

  add({ header, uncles }: Block, hash: Uint8Array): void {
    const uncleHashes = uncles.map((uncle) => bytesToHex(hashHeader(uncle)));
    this.#added.set(header.number, { header, hash, uncleHashes });
    this.#added.delete(header.number - WINDOW);
  }

  get(number: bigint): Ancestor | undefined {
    const added = this.#added.get(number);
    if (added !== undefined) return added;
    const stored = this.#reader.getHeader(number);
    const body = this.#reader.getBody(number);
    if (stored === undefined || body === undefined) return undefined;
    const uncleHashes = decodeBody(body).uncles.map((uncle) => bytesToHex(hashHeader(uncle)));
    return { header: stored.header, hash: stored.hash, uncleHashes };
  }

  /** @throws Error when the block is neither cached nor stored */
  getHash(number: bigint): Uint8Array {
    const hash = this.#added.get(number)?.hash ?? this.#reader.getHeader(number)?.hash;
    if (hash === undefined) throw new Error(`block ${number} is not stored`);
    return hash;
  }
}
