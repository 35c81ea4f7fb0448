import { BLANK_HEADER, type Header, hashHeader } from '../../../packages/ethereum/codecs/header.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { encodeHeaderJson } from '../../../src/chain/block-json.ts';
import { RECEIPT_SIZES } from './chain-plan.ts';
import { countReceipts, encodeReceipts } from './made-receipts.ts';

const BLOCK_MS = 2_000;
const FIRST_HEAD = 100;
/** Blocks between the head and the safe and finalized blocks. */
const [SAFE_DEPTH, FINALIZED_DEPTH] = [8, 32];

const EMPTY_LIST_HASH = hexToBytes('0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347');
const EMPTY_TRIE_ROOT = hexToBytes('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421');

export type MadeBlock = {
  readonly hash: string;
  /** JSON of `eth_getBlockByNumber` with transaction hashes. */
  readonly json: string;
  /** JSON of the block with full transactions; only blocks of `full-chain` have it. */
  readonly whole?: Buffer;
  /** JSON of all receipts. */
  readonly receipts: Buffer;
};

/** Chain that the nodes of the bench answer from. */
export interface ServedChain {
  readonly head: number;
  /** Milliseconds until the next block. */
  readonly untilNext: number;
  /** @param reference number, tag, hash or object with a `blockHash`, as methods accept it */
  find(reference: unknown): MadeBlock | undefined;
}

const NO_RECEIPTS = Buffer.from('[]');

/**
 * A chain with a new block every two seconds and block hashes computed from its headers. The blocks of `RECEIPT_SIZES` have transactions and
 * receipts; all others are empty.
 */
export class MadeChain implements ServedChain {
  readonly #blocks: MadeBlock[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #startedAt = Date.now();

  constructor() {
    this.#grow();
  }

  get head(): number {
    return FIRST_HEAD + Math.floor((Date.now() - this.#startedAt) / BLOCK_MS);
  }

  get untilNext(): number {
    return BLOCK_MS - ((Date.now() - this.#startedAt) % BLOCK_MS);
  }

  find(reference: unknown): MadeBlock | undefined {
    this.#grow();
    return this.#blocks[this.#numberOf(reference) ?? -1];
  }

  #numberOf(reference: unknown): number | undefined {
    if (typeof reference === 'object' && reference !== null) {
      return this.#numbers.get(String((reference as { readonly blockHash?: unknown }).blockHash));
    }
    const text = String(reference);
    switch (text) {
      case 'latest':
      case 'pending':
        return this.head;
      case 'safe':
        return this.head - SAFE_DEPTH;
      case 'finalized':
        return this.head - FINALIZED_DEPTH;
      case 'earliest':
        return 0;
      default:
        return text.length === 66 ? this.#numbers.get(text) : Number(text);
    }
  }

  #grow(): void {
    for (let number = this.#blocks.length; number <= this.head; number++) {
      const block = this.#make(number);
      this.#blocks.push(block);
      this.#numbers.set(block.hash, number);
    }
  }

  #make(number: number): MadeBlock {
    const size = RECEIPT_SIZES.find((row) => row.block === number);
    const count = size === undefined ? 0 : countReceipts(size);
    const transactions = Array.from({ length: count }, (_, index) =>
      bytesToHex(keccak256(Buffer.from(`transaction ${number}/${index}`))),
    );
    const parent = this.#blocks[number - 1];
    const header: Header = {
      ...BLANK_HEADER,
      ...(parent !== undefined && { parentHash: hexToBytes(parent.hash) }),
      ommersHash: EMPTY_LIST_HASH,
      transactionsRoot: count === 0 ? EMPTY_TRIE_ROOT : keccak256(Buffer.from(transactions.join(''))),
      receiptsRoot: EMPTY_TRIE_ROOT,
      number: BigInt(number),
      gasLimit: 30_000_000n,
      timestamp: BigInt(Math.floor((this.#startedAt + (number - FIRST_HEAD) * BLOCK_MS) / 1_000)),
      baseFeePerGas: 7n,
    };
    const hash = bytesToHex(hashHeader(header));
    const members = `"size":"0x400","transactions":${JSON.stringify(transactions)},"uncles":[]`;
    const json = `${encodeHeaderJson(header, hash).slice(0, -1)},${members}}`;
    const receipts =
      size === undefined ? NO_RECEIPTS : encodeReceipts({ number, hash, transactions }, size.logs);
    return { hash, json, receipts };
  }
}
