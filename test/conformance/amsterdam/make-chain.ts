/** Chains across the transition from Osaka to Amsterdam, every block of which geth's state transition has executed. */
import { type Block, encodeBlock, type Withdrawal } from '../../../packages/ethereum/codecs/block.ts';
import { BLANK_HEADER, type Header, hashHeader } from '../../../packages/ethereum/codecs/header.ts';
import { bigIntToFixedBytes } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_LIST_HASH } from '../../../packages/ethereum/primitives/keccak.ts';
import { decodeRlp, encodeRlp } from '../../../packages/ethereum/primitives/rlp.ts';
import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { parseGenesis } from '../../../packages/evm/transition/genesis.ts';
import { buildGenesisBlock } from '../../../src/chains/embedded/import/genesis-state.ts';
import { StateCommitter } from '../../../src/chains/embedded/state/state-committer.ts';
import { EMPTY_SOURCE } from '../../../src/chains/embedded/state/state-source.ts';
import { KEY_ADDRESSES, type SignedBy, signTransaction } from '../../fuzz/blocks/block-case.ts';
import { type BlockState, generateBlockState } from '../../fuzz/blocks/block-state.ts';
import { generateBlockTransaction } from '../../fuzz/blocks/block-transactions.ts';
import { fromAlloc, toAlloc } from '../../fuzz/blocks/geth-oracle.ts';
import { CHAIN_ID } from '../../fuzz/fuzz-case.ts';
import { addressBytes, addressText } from '../../fuzz/generate/accounts.ts';
import { newAddress } from '../../fuzz/generate/amsterdam-deeds.ts';
import { randomWord } from '../../fuzz/generate/words.ts';
import { Random } from '../../fuzz/random.ts';
import { type AllocJson, runTransition, type TransitionResult } from '../../geth/node/state-transition.ts';
import type { ChainSet } from './chain-set.ts';

const SLOT_SECONDS = 12n;
const GENESIS_TIME = 1_700_000_000n;
const GAS_LIMIT = 200_000_000n;
const MAX_TRANSACTIONS = 4;
const PROGRAMS = 8;
const HISTORY_BLOCKS = 256;

export type ChainOptions = {
  readonly seed: number;
  readonly blocks: number;
  /** Number of the first block of Amsterdam. */
  readonly firstAmsterdam: number;
};

const quantity = (value: bigint): string => `0x${value.toString(16)}`;
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;

/** Blob parameters change at Amsterdam, which has none of its own: these are the ones of geth's state transitions. */
function configOf({ firstAmsterdam }: ChainOptions): Record<string, unknown> {
  const border = Number(GENESIS_TIME + SLOT_SECONDS * BigInt(firstAmsterdam));
  const blockForks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg'];
  const laterForks = ['istanbul', 'muirGlacier', 'berlin', 'london', 'arrowGlacier', 'grayGlacier'];
  return {
    chainId: Number(CHAIN_ID),
    ...Object.fromEntries([...blockForks, ...laterForks].map((fork) => [`${fork}Block`, 0])),
    terminalTotalDifficulty: 0,
    ...Object.fromEntries(['shanghai', 'cancun', 'prague', 'osaka'].map((fork) => [`${fork}Time`, 0])),
    ...Object.fromEntries(['bpo1', 'bpo2', 'amsterdam'].map((fork) => [`${fork}Time`, border])),
    depositContractAddress: '0x00000000219ab540356cbb839cbe05303d7705fa',
    blobSchedule: {
      cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3338477 },
      prague: { target: 6, max: 9, baseFeeUpdateFraction: 5007716 },
      bpo1: { target: 10, max: 15, baseFeeUpdateFraction: 8346193 },
      bpo2: { target: 14, max: 21, baseFeeUpdateFraction: 11684671 },
    },
  };
}

/** Generates the genesis state, with programs of Amsterdam's instructions: before Amsterdam some of them halt. */
function firstState(random: Random): BlockState {
  const state = generateBlockState(random, 'amsterdam', PROGRAMS);
  for (const [address, { nonce, balance, code }] of state.accounts) {
    // geth drops accounts that are empty except for their storage when it writes a genesis state.
    if (nonce === 0n && balance === 0n && code.length === 0) state.accounts.delete(address);
  }
  return state;
}

type Parent = { readonly header: Header; readonly hash: Uint8Array };

class ChainMaker {
  readonly #options: ChainOptions;
  readonly #random: Random;
  readonly #state: BlockState;
  readonly #genesis: Record<string, unknown>;
  readonly #hashes: Uint8Array[];
  readonly #blocks: Uint8Array[] = [];
  #alloc: AllocJson;
  #parent: Parent;

  constructor(options: ChainOptions) {
    this.#options = options;
    this.#random = new Random(options.seed, 0, -7);
    this.#state = firstState(this.#random);
    this.#alloc = toAlloc(this.#state.accounts);
    this.#genesis = {
      config: configOf(options),
      timestamp: quantity(GENESIS_TIME),
      gasLimit: quantity(GAS_LIMIT),
      difficulty: '0x0',
      baseFeePerGas: quantity(1_000_000_000n),
      alloc: this.#alloc,
    };
    const { block, hash } = buildGenesisBlock(
      parseGenesis(JSON.stringify(this.#genesis)),
      new StateCommitter(EMPTY_SOURCE),
    );
    this.#parent = { header: block.header, hash };
    this.#hashes = [hash];
  }

  async make(): Promise<ChainSet> {
    for (let number = 1; number <= this.#options.blocks; number++) await this.#add(number);
    return { genesis: this.#genesis, blocks: this.#blocks, firstAmsterdam: this.#options.firstAmsterdam };
  }

  async #add(number: number): Promise<void> {
    const isAmsterdam = number >= this.#options.firstAmsterdam;
    const random = this.#random;
    const beneficiary = random.oneIn(3) ? newAddress(random) : 0xbe7en << 144n;
    const withdrawals = this.#withdrawals(number);
    const env = this.#environment(number, beneficiary, withdrawals, isAmsterdam);
    let transactions = this.#transactions(isAmsterdam ? 'amsterdam' : 'osaka');
    for (;;) {
      const { result, alloc } = await this.#run(transactions, env, isAmsterdam);
      const rejected = new Set((result.rejected ?? []).map(({ index }) => index));
      if (rejected.size === 0) {
        this.#append(transactions, withdrawals, env, result);
        this.#alloc = alloc;
        return;
      }
      // Executed again without the rejected transactions: reading those has left traces in the access list.
      transactions = transactions.filter((_, index) => !rejected.has(index));
    }
  }

  #run(
    transactions: readonly SignedBy[],
    env: Readonly<Record<string, unknown>>,
    isAmsterdam: boolean,
  ): ReturnType<typeof runTransition> {
    const items = transactions.map((item) => {
      const { type, encoded } = signTransaction(item);
      return type === 0 ? decodeRlp(encoded) : encoded;
    });
    return runTransition({
      fork: isAmsterdam ? 'Amsterdam' : 'Osaka',
      chainId: CHAIN_ID,
      alloc: this.#alloc,
      env,
      transactions: bytesToHex(encodeRlp(items)),
    });
  }

  #transactions(revision: Revision): SignedBy[] {
    const { baseFeePerGas = 0n } = this.#parent.header;
    const accounts = fromAlloc(this.#alloc);
    const context = {
      random: this.#random,
      revision,
      state: { ...this.#state, accounts },
      // The base fee of the next block is at most an eighth above the parent's.
      baseFeePerGas: baseFeePerGas + baseFeePerGas / 8n + 1n,
      blobBaseFee: 1_000_000_000n,
      nonces: KEY_ADDRESSES.map((address) => accounts.get(address)?.nonce ?? 0n),
    };
    const count = this.#random.between(1, MAX_TRANSACTIONS);
    return Array.from({ length: count }, () => generateBlockTransaction(context));
  }

  #withdrawals(number: number): Withdrawal[] {
    const random = this.#random;
    return Array.from({ length: random.pick([0, 0, 0, 1, 2]) }, (_, index) => ({
      index: BigInt(number * 4 + index),
      validatorIndex: BigInt(index),
      address: addressBytes(random.oneIn(2) ? newAddress(random) : random.pick(this.#state.addresses)),
      amount: BigInt(random.pick([0, 1, 32_000_000_000])),
    }));
  }

  #environment(
    number: number,
    beneficiary: bigint,
    withdrawals: readonly Withdrawal[],
    isAmsterdam: boolean,
  ): Record<string, unknown> {
    const { header } = this.#parent;
    const first = Math.max(0, number - HISTORY_BLOCKS);
    return {
      currentCoinbase: addressText(beneficiary),
      currentRandom: word(randomWord(this.#random)),
      currentGasLimit: quantity(GAS_LIMIT),
      currentNumber: quantity(BigInt(number)),
      currentTimestamp: quantity(header.timestamp + SLOT_SECONDS),
      parentBaseFee: quantity(header.baseFeePerGas ?? 0n),
      parentGasUsed: quantity(header.gasUsed),
      parentGasLimit: quantity(header.gasLimit),
      parentTimestamp: quantity(header.timestamp),
      parentExcessBlobGas: quantity(header.excessBlobGas ?? 0n),
      parentBlobGasUsed: quantity(header.blobGasUsed ?? 0n),
      parentBeaconBlockRoot: word(randomWord(this.#random)),
      blockHashes: Object.fromEntries(
        this.#hashes.slice(first).map((hash, index) => [String(first + index), bytesToHex(hash)]),
      ),
      withdrawals: withdrawals.map(({ index, validatorIndex, address, amount }) => ({
        index: quantity(index),
        validatorIndex: quantity(validatorIndex),
        address: bytesToHex(address),
        amount: quantity(amount),
      })),
      ...(isAmsterdam && { slotNumber: quantity(BigInt(number) * 2n + 1000n) }),
    };
  }

  #append(
    signed: readonly SignedBy[],
    withdrawals: readonly Withdrawal[],
    env: Readonly<Record<string, unknown>>,
    result: TransitionResult,
  ): void {
    const text = (name: string): string => env[name] as string;
    const hash = (value: string | undefined): Uint8Array => hexToBytes(value as string);
    const header: Header = {
      ...BLANK_HEADER,
      parentHash: this.#parent.hash,
      ommersHash: EMPTY_LIST_HASH,
      beneficiary: hexToBytes(text('currentCoinbase')),
      stateRoot: hash(result.stateRoot),
      transactionsRoot: hash(result.txRoot),
      receiptsRoot: hash(result.receiptsRoot),
      logsBloom: hash(result.logsBloom),
      number: BigInt(text('currentNumber')),
      gasLimit: GAS_LIMIT,
      gasUsed: BigInt(result.gasUsed),
      timestamp: BigInt(text('currentTimestamp')),
      mixHash: bigIntToFixedBytes(BigInt(text('currentRandom')), 32),
      baseFeePerGas: BigInt(result.currentBaseFee),
      withdrawalsRoot: hash(result.withdrawalsRoot),
      blobGasUsed: BigInt(result.blobGasUsed as string),
      excessBlobGas: BigInt(result.currentExcessBlobGas as string),
      parentBeaconBlockRoot: hexToBytes(text('parentBeaconBlockRoot')),
      requestsHash: hash(result.requestsHash),
      ...(result.blockAccessListHash !== undefined && {
        blockAccessListHash: hash(result.blockAccessListHash),
        slotNumber: BigInt(text('slotNumber')),
      }),
    };
    const transactions = signed.map(signTransaction);
    const block: Block = { header, transactions, uncles: [], withdrawals: [...withdrawals] };
    this.#blocks.push(encodeBlock(block));
    this.#parent = { header, hash: hashHeader(header) };
    this.#hashes.push(this.#parent.hash);
  }
}

/** Makes geth execute a chain of random blocks; the same seed gives the same chain. */
export function makeChain(options: ChainOptions): Promise<ChainSet> {
  return new ChainMaker(options).make();
}
