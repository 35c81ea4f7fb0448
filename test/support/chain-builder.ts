/** Builds small valid chains, block by block, from parts that a test chooses. */

import { type Block, encodeBlock, type Withdrawal } from '../../packages/ethereum/codecs/block.ts';
import type { Header } from '../../packages/ethereum/codecs/header.ts';
import {
  assembleTransaction,
  encodeSigningPayload,
  type Transaction,
  type TransactionBody,
} from '../../packages/ethereum/codecs/transaction.ts';
import { ZERO_ADDRESS } from '../../packages/ethereum/primitives/address.ts';
import { concatBytes, EMPTY_BYTES } from '../../packages/ethereum/primitives/bytes.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { type Genesis, parseGenesis } from '../../packages/evm/transition/genesis.ts';
import { BlockMaker } from '../../scripts/chains/block-maker.ts';
import { signHash } from '../../scripts/chains/secp256k1.ts';
import type { ExecutedBlock } from '../../src/chains/embedded/store/chain-writer.ts';

/** Parts of a block that do not follow from its parent. */
export type BlockParts = {
  readonly transactions?: readonly Transaction[];
  readonly uncles?: readonly Header[];
  readonly withdrawals?: readonly Withdrawal[];
  readonly beneficiary?: Uint8Array;
  /** Seconds after the parent's timestamp. */
  readonly delay?: bigint;
};

const SLOT_SECONDS = 12n;

export class ChainBuilder {
  readonly genesis: Genesis;
  readonly #maker: BlockMaker;
  readonly #chain: ExecutedBlock[];

  /** @param genesisText a geth genesis file */
  constructor(genesisText: string) {
    this.genesis = parseGenesis(genesisText);
    this.#maker = new BlockMaker(this.genesis, (number) => this.hashAt(Number(number)));
    this.#chain = [this.#maker.genesisBlock];
  }

  get genesisBlock(): Block {
    return this.#maker.genesisBlock.block;
  }

  /** The blocks added so far, without block 0. */
  get blocks(): readonly Block[] {
    return this.#chain.slice(1).map(({ block }) => block);
  }

  get head(): Block {
    return this.#last.block;
  }

  /** Hash of the block at this height. */
  hashAt(number: number): Uint8Array {
    return (this.#chain[number] as ExecutedBlock).hash;
  }

  /** All blocks after block 0, encoded as a block file. */
  encode(): Uint8Array {
    return concatBytes(...this.blocks.map(encodeBlock));
  }

  /** Executes a block on top of the head and appends it. */
  async add(parts: BlockParts = {}): Promise<Block> {
    const { transactions = [], uncles = [], withdrawals = [], beneficiary = ZERO_ADDRESS, delay } = parts;
    const timestamp = this.head.header.timestamp + (delay ?? SLOT_SECONDS);
    const choices = { timestamp, beneficiary, extraData: EMPTY_BYTES };
    const made = await this.#maker.make(this.#last, choices, { transactions, uncles, withdrawals });
    this.#chain.push(made);
    return made.block;
  }

  get #last(): ExecutedBlock {
    return this.#chain.at(-1) as ExecutedBlock;
  }
}

/** Signs a transaction; defaults: type 2, plenty of gas, price of up to 10 gwei, no data. */
export function signTransaction(key: Uint8Array, fields: Partial<TransactionBody>): Transaction {
  const body: TransactionBody = {
    type: 2,
    chainId: 1337n,
    nonce: 0n,
    gasLimit: 5_000_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: fields.type === 0 || fields.type === 1 ? 10n ** 10n : 1n,
    to: undefined,
    value: 0n,
    data: EMPTY_BYTES,
    accessList: [],
    maxFeePerBlobGas: fields.type === 3 ? 10n ** 9n : 0n,
    blobVersionedHashes: [],
    authorizationList: [],
    ...fields,
  };
  return assembleTransaction(body, signHash(keccak256(encodeSigningPayload(body)), key));
}
