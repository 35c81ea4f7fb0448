/** A chain with branches: valid blocks with logs, all of which stay known. */

import { hashTransaction, type Transaction } from '../../../packages/ethereum/codecs/transaction.ts';
import { ZERO_ADDRESS } from '../../../packages/ethereum/primitives/address.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { parseGenesis } from '../../../packages/evm/transition/genesis.ts';
import { BlockMaker } from '../../../scripts/chains/block-maker.ts';
import { encodeCall, encodeWord } from '../../../scripts/chains/encode-call.ts';
import { LOGGER_RUNTIME } from '../../../scripts/contracts/logger.ts';
import type { ExecutedBlock } from '../../../src/chains/embedded/store/chain-writer.ts';
import type { Random } from '../../geth/requests/random.ts';
import { signTransaction } from '../../support/chain-builder.ts';
import { ALICE_KEY, createGenesis } from '../../support/test-chain.ts';

/** Contracts that log their calldata. */
export const CONTRACTS: readonly string[] = ['aa', 'bb', 'cc'].map((byte) => `0x${byte.repeat(20)}`);
/** Topics of the chain's logs. */
export const TOPICS: readonly string[] = [1n, 2n, 3n].map((value) => bytesToHex(encodeWord(value)));
export const BLOCK_GAS_LIMIT = 30_000_000n;
/** Most calls per block. */
const CALLS = 5;
const CALL_GAS = 100_000n;

/** A log with its position. */
export type ChainLog = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly logIndex: number;
};

export type ForkBlock = {
  readonly executed: ExecutedBlock;
  readonly hash: string;
  readonly number: number;
  readonly parent: ForkBlock | undefined;
  readonly logs: readonly ChainLog[];
  readonly transactionHashes: readonly string[];
  /** Nonce after this block of the only sending account. */
  readonly nonce: bigint;
};

export class ForkChain {
  /** A geth genesis file. */
  readonly genesisText: string;
  readonly genesis: ForkBlock;
  readonly #maker: BlockMaker;
  readonly #random: Random;
  readonly #leastCalls: number;
  #head: ForkBlock;
  /** Parent of the block being built. */
  #parent: ForkBlock;
  readonly #blocks = new Map<string, ForkBlock>();

  /** @param leastCalls fewest calls per block */
  constructor(random: Random, leastCalls = 0) {
    this.#random = random;
    this.#leastCalls = leastCalls;
    const code = bytesToHex(LOGGER_RUNTIME);
    const alloc = Object.fromEntries(CONTRACTS.map((address) => [address, { balance: '0', code }]));
    const timestamp = `0x${Math.floor(Date.now() / 1_000).toString(16)}`;
    const genesis = JSON.parse(createGenesis({ revision: 'shanghai', alloc, gasLimit: BLOCK_GAS_LIMIT }));
    this.genesisText = JSON.stringify({ ...genesis, timestamp });
    this.#maker = new BlockMaker(parseGenesis(this.genesisText), (number) => this.#hashBelow(number));
    const executed = this.#maker.genesisBlock;
    const hash = bytesToHex(executed.hash);
    this.genesis = {
      executed,
      hash,
      number: 0,
      parent: undefined,
      logs: [],
      transactionHashes: [],
      nonce: 0n,
    };
    this.#head = this.genesis;
    this.#parent = this.genesis;
  }

  /** Head of the canonical branch. */
  get head(): ForkBlock {
    return this.#head;
  }

  /** Number of blocks made, on all branches. */
  get made(): number {
    return this.#blocks.size;
  }

  /** Finds a block after the genesis block, on any branch. */
  find(hash: string): ForkBlock | undefined {
    return this.#blocks.get(hash);
  }

  /** Makes `count` blocks after `from`; the last becomes the head. @returns the last block */
  extend(from: ForkBlock, count: number): ForkBlock {
    const tip = this.branch(from, count);
    this.#head = tip;
    return tip;
  }

  /** Makes `count` blocks after `from`; the head stays. @returns the last block */
  branch(from: ForkBlock, count: number): ForkBlock {
    this.#maker.moveHead(from.executed);
    let tip = from;
    for (let made = 0; made < count; made++) tip = this.#make(tip);
    return tip;
  }

  /** Blocks of the head's branch with a number above `from`, in ascending order. */
  since(from: number): readonly ForkBlock[] {
    const blocks: ForkBlock[] = [];
    for (let at: ForkBlock | undefined = this.#head; at !== undefined && at.number > from; at = at.parent)
      blocks.push(at);
    return blocks.reverse();
  }

  #make(parent: ForkBlock): ForkBlock {
    this.#parent = parent;
    const count = this.#leastCalls + this.#random.below(CALLS + 1 - this.#leastCalls);
    const transactions = Array.from({ length: count }, (_, at) => this.#call(parent.nonce + BigInt(at)));
    // This value makes blocks of two branches differ even without transactions.
    const extraData = encodeWord(BigInt(this.#blocks.size));
    const timestamp = parent.executed.block.header.timestamp + 1n;
    const choices = { timestamp, beneficiary: ZERO_ADDRESS, extraData };
    const executed = this.#maker.make(parent.executed, choices, {
      transactions,
      uncles: [],
      withdrawals: [],
    });
    const place = { blockHash: bytesToHex(executed.hash), blockNumber: parent.number + 1 };
    const logs = executed.receipts
      .flatMap((receipt) => receipt.logs)
      .map(
        ({ address, topics }, logIndex): ChainLog => ({
          address: bytesToHex(address),
          topics: topics.map(bytesToHex),
          logIndex,
          ...place,
        }),
      );
    const nonce = parent.nonce + BigInt(count);
    const { blockHash: hash, blockNumber: number } = place;
    const transactionHashes = executed.block.transactions.map((each) => bytesToHex(hashTransaction(each)));
    const block = { executed, hash, number, parent, logs, transactionHashes, nonce };
    this.#blocks.set(block.hash, block);
    return block;
  }

  #call(nonce: bigint): Transaction {
    const random = this.#random;
    const topic = (): Uint8Array => hexToBytes(random.pick(TOPICS));
    const value = BigInt(random.below(1_000));
    const data = random.call(
      () => encodeCall('log1(uint256,bytes32)', value, topic()),
      () => encodeCall('log2(uint256,bytes32,bytes32)', value, topic(), topic()),
      () =>
        encodeCall(
          'logAll(uint256,bytes32,bytes32,bytes32,bytes32)',
          ...([value, topic(), topic(), topic(), topic()] as const),
        ),
    );
    const to = hexToBytes(random.pick(CONTRACTS));
    return signTransaction(ALICE_KEY, { nonce, to, data, gasLimit: CALL_GAS });
  }

  #hashBelow(number: bigint): Uint8Array {
    let at: ForkBlock = this.#parent;
    while (BigInt(at.number) > number && at.parent !== undefined) at = at.parent;
    return at.executed.hash;
  }
}

/** Ancestor `depth` blocks below. */
export function ancestorOf(block: ForkBlock, depth: number): ForkBlock {
  let at = block;
  for (let steps = 0; steps < depth && at.parent !== undefined; steps++) at = at.parent;
  return at;
}
