/** Chains of the shapes in hive and in geth's own tests, built by geth through its engine API. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Authorization, TransactionBody } from '../../../packages/ethereum/codecs/transaction.ts';
import { createAddress } from '../../../packages/ethereum/primitives/address.ts';
import { concatBytes } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { encodeRlp } from '../../../packages/ethereum/primitives/rlp.ts';
import { privateKeyToAddress, signHash } from '../../../scripts/chains/secp256k1.ts';
import { BUILDER_DEPOSITS, BUILDER_EXITS } from '../../../scripts/contracts/builder-contracts.ts';
import { SYSTEM_CONTRACTS } from '../../../scripts/contracts/system-contracts.ts';
import { signTransaction } from '../../support/chain-builder.ts';
import { expectValid, type GethNode, startGeth } from './geth-node.ts';

const KEY: Uint8Array = hexToBytes(`0x${'45'.repeat(32)}`);
const SENDER: string = bytesToHex(privateKeyToAddress(KEY));
const ZERO_HASH = `0x${'00'.repeat(32)}`;
const BLOCK_GAS_LIMIT = 30_000_000n;
const SLOT_SECONDS = 12;
const GENESIS_TIME = 5;
const CHAIN_ID = 1337n;
const BEACON_ROOT = `0x${'7b'.repeat(32)}`;
const BUILD_ATTEMPTS = 20;
const BUILD_PAUSE_MS = 50;
/** Init code that stores the block's number and returns one byte of code. */
const CREATION: Uint8Array = hexToBytes('0x4360005560016000f3');

const FIRST_SLOT = 1000;

const quantity = (value: number): string => `0x${value.toString(16)}`;

/** Timestamp of the second block. */
const AMSTERDAM_TIME = GENESIS_TIME + 2 * SLOT_SECONDS;

const FORKS = {
  chainId: Number(CHAIN_ID),
  homesteadBlock: 0,
  eip150Block: 0,
  eip155Block: 0,
  eip158Block: 0,
  byzantiumBlock: 0,
  constantinopleBlock: 0,
  petersburgBlock: 0,
  istanbulBlock: 0,
  berlinBlock: 0,
  londonBlock: 0,
  shanghaiTime: 0,
  cancunTime: 0,
  pragueTime: 0,
  blobSchedule: {
    cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3338477 },
    prague: { target: 6, max: 9, baseFeeUpdateFraction: 5007716 },
  },
};

const AUTHORITY_KEY: Uint8Array = hexToBytes(`0x${'46'.repeat(32)}`);
const CREATED: Uint8Array = createAddress(privateKeyToAddress(KEY), 0n);
const AUTHORITY: Uint8Array = privateKeyToAddress(AUTHORITY_KEY);
const BLACKBOX = bytesOf('b1acb0');

/** Returns the address that ends in these digits. */
function bytesOf(digits: string): Uint8Array {
  return hexToBytes(`0x${digits.padStart(40, '0')}`);
}

function authorize(nonce: bigint): Authorization {
  const unsigned = { chainId: CHAIN_ID, address: CREATED, nonce };
  const payload = concatBytes(Uint8Array.of(5), encodeRlp([CHAIN_ID, CREATED, nonce]));
  return { ...unsigned, signature: signHash(keccak256(payload), AUTHORITY_KEY) };
}

/** Stores 1, sends 1 wei to a new account, and stores 0. */
const SPENDER: Uint8Array = hexToBytes('0x60015f55 5f5f5f5f 6001 61beef 5af1 5f5f55 00'.replaceAll(' ', ''));
/** Init code that copies the rest of its code and returns it. */
const DEPLOY: Uint8Array = hexToBytes('0x600b380380600b5f395ff3');

/** One creation before the fork; then transfers of all kinds, a delegation, creations, and calls of the created contracts. */
const AMSTERDAM_TRANSACTIONS: readonly Partial<TransactionBody>[] = [
  { data: CREATION },
  { to: BLACKBOX, value: 1000n },
  { data: CREATION, value: 7n },
  { to: privateKeyToAddress(KEY), value: 1n, gasLimit: 12_000n },
  { type: 4, to: BLACKBOX, authorizationList: [authorize(0n)] },
  { to: AUTHORITY, value: 5n },
  { data: concatBytes(DEPLOY, SPENDER) },
  { to: createAddress(privateKeyToAddress(KEY), 6n), value: 3n },
  { to: bytesOf('5afe'), value: 1n, gasLimit: 100_000n },
];

/** A genesis file without its allocation, and the transactions of its blocks. */
export type GenesisShape = {
  readonly name: string;
  readonly config: object;
  readonly header: object;
  /** Timestamp at which Amsterdam begins. */
  readonly amsterdamTime?: number;
  /** One transaction per block, in the order of the sender's nonces. */
  readonly transactions: readonly Partial<TransactionBody>[];
};

const CREATIONS: readonly Partial<TransactionBody>[] = Array(3).fill({ data: CREATION });

/** Shapes by the names that `--chain` accepts. */
export const SHAPES: Readonly<Record<'reached' | 'unreached' | 'amsterdam', GenesisShape>> = {
  reached: {
    name: 'the first block reaches the terminal total difficulty; fields that are null',
    config: { ...FORKS, terminalTotalDifficulty: 131072, osakaTime: null },
    header: {
      difficulty: '0x20000',
      nonce: '0x0',
      baseFeePerGas: null,
      excessBlobGas: null,
      blobGasUsed: null,
    },
    transactions: CREATIONS,
  },
  unreached: {
    name: 'no block reaches the terminal total difficulty; keys in other case',
    config: { ...FORKS, chainID: FORKS.chainId, chainId: undefined, TerminalTotalDifficulty: 10 ** 15 },
    header: { Difficulty: '0x20000', nonce: '42', baseFeePerGas: '0x7' },
    transactions: CREATIONS,
  },
  amsterdam: {
    name: 'the second block is the first of Amsterdam',
    config: {
      ...FORKS,
      terminalTotalDifficulty: 0,
      osakaTime: 0,
      amsterdamTime: AMSTERDAM_TIME,
      mergeNetsplitBlock: 0,
    },
    header: { difficulty: '0x0', slotNumber: '0x64' },
    amsterdamTime: AMSTERDAM_TIME,
    transactions: AMSTERDAM_TRANSACTIONS,
  },
};

/** Paths of the files of a chain that geth has built. */
export type HiveChain = {
  readonly genesis: string;
  readonly blocks: string;
  readonly headCall: string;
  /** Path of the keys of its accounts, in the format of the vectors. */
  readonly accounts: string;
  readonly head: string;
};

/** Lets geth build a few blocks with one transaction each, and writes the chain's files into a folder. */
export async function buildHiveChain(shape: GenesisShape, folder: string): Promise<HiveChain> {
  const { config, header, transactions } = shape;
  const [genesis, blocks, headCall, accounts] = [
    'genesis.json',
    'blocks.rlp',
    'head.json',
    'accounts.json',
  ].map((name) => join(folder, name)) as [string, string, string, string];
  const alloc = Object.fromEntries([
    [SENDER.slice(2), { balance: '0xde0b6b3a7640000' }],
    ...[...SYSTEM_CONTRACTS, BUILDER_DEPOSITS, BUILDER_EXITS].map(({ address, code, storage }) => [
      address,
      { balance: '0x0', code, storage: padSlots(storage) },
    ]),
  ]);
  const gasLimit = `0x${BLOCK_GAS_LIMIT.toString(16)}`;
  writeFileSync(
    genesis,
    JSON.stringify({ config, ...header, gasLimit, timestamp: quantity(GENESIS_TIME), alloc }),
  );
  writeFileSync(
    accounts,
    JSON.stringify({
      [SENDER]: { key: bytesToHex(KEY) },
      [bytesToHex(AUTHORITY)]: { key: bytesToHex(AUTHORITY_KEY) },
    }),
  );
  const geth = await startGeth({ genesis, blockGasLimit: BLOCK_GAS_LIMIT });
  let head = '';
  try {
    for (const number of transactions.keys()) head = await addBlock(geth, number + 1, shape);
    await geth.export(blocks);
  } finally {
    await geth.close();
  }
  const call = { jsonrpc: '2.0', id: 1, method: 'engine_forkchoiceUpdatedV3' };
  const state = { headBlockHash: head, safeBlockHash: head, finalizedBlockHash: head };
  writeFileSync(headCall, JSON.stringify({ ...call, params: [state, null] }));
  return { genesis, blocks, headCall, accounts, head };
}

/** Pads slots to 32 bytes; geth only accepts slots of whole bytes. */
function padSlots(storage: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(storage).map(([slot, value]) => [`0x${slot.slice(2).padStart(64, '0')}`, value]),
  );
}

type BuiltBlock = {
  readonly executionPayload: { readonly blockHash: string; readonly transactions: readonly string[] };
  readonly executionRequests: readonly string[];
};

/** Lets geth build a block with one transaction, and makes it the head. @returns its hash */
async function addBlock(geth: GethNode, number: number, shape: GenesisShape): Promise<string> {
  const transaction = signTransaction(KEY, {
    chainId: CHAIN_ID,
    nonce: BigInt(number - 1),
    gasLimit: 1_000_000n,
    // geth includes no transaction with a tip below a thousandth of this.
    maxPriorityFeePerGas: 10n ** 9n,
    ...shape.transactions[number - 1],
  });
  await geth.ask('eth_sendRawTransaction', [bytesToHex(transaction.encoded)]);
  const timestamp = GENESIS_TIME + number * SLOT_SECONDS;
  const methods = methodsAt(timestamp, shape);
  const { executionPayload, executionRequests } = await buildPayload(geth, number, timestamp, methods);
  const payload = [executionPayload, [], BEACON_ROOT, executionRequests];
  expectValid(await geth.askEngine(methods.newPayload, payload));
  expectValid(
    await geth.askEngine('engine_forkchoiceUpdatedV3', [stateAt(executionPayload.blockHash), null]),
  );
  return executionPayload.blockHash;
}

/** Engine API methods for blocks of a fork. */
type EngineMethods = {
  readonly prepare: string;
  readonly getPayload: string;
  readonly newPayload: string;
  /** Whether payload attributes have a slot number. */
  readonly hasSlots: boolean;
};

function methodsAt(
  timestamp: number,
  { config, amsterdamTime = Number.POSITIVE_INFINITY }: GenesisShape,
): EngineMethods {
  const hasSlots = timestamp >= amsterdamTime;
  const isOsaka = (config as { readonly osakaTime?: number | null }).osakaTime === 0;
  const [prepare, getPayload, newPayload] = hasSlots
    ? ['V4', 'V6', 'V5']
    : ['V3', isOsaka ? 'V5' : 'V4', 'V4'];
  return {
    prepare: `engine_forkchoiceUpdated${prepare}`,
    getPayload: `engine_getPayload${getPayload}`,
    newPayload: `engine_newPayload${newPayload}`,
    hasSlots,
  };
}

const stateAt = (hash: string): object => ({
  headBlockHash: hash,
  safeBlockHash: hash,
  finalizedBlockHash: ZERO_HASH,
});

/**
 * Builds a block with the transaction on top of the head. geth returns the block as far as it is built: an early request
 * gets an empty one, and ends the building, so another block is requested.
 */
async function buildPayload(
  geth: GethNode,
  number: number,
  timestamp: number,
  { prepare, getPayload, hasSlots }: EngineMethods,
): Promise<BuiltBlock> {
  const parent = (await geth.ask('eth_getBlockByNumber', ['latest', false])) as { readonly hash: string };
  for (let attempt = 1; attempt <= BUILD_ATTEMPTS; attempt++) {
    const attributes = {
      timestamp: quantity(timestamp),
      prevRandao: `0x${attempt.toString(16).padStart(64, '0')}`,
      suggestedFeeRecipient: SENDER,
      withdrawals: [{ index: quantity(number), validatorIndex: '0x1', address: SENDER, amount: '0x1' }],
      parentBeaconBlockRoot: BEACON_ROOT,
      // Some slots have no block: slot numbers come from the consensus layer.
      ...(hasSlots && { slotNumber: quantity(FIRST_SLOT + 2 * number) }),
    };
    const begun = await geth.askEngine(prepare, [stateAt(parent.hash), attributes]);
    expectValid(begun);
    await sleep(attempt * BUILD_PAUSE_MS);
    const { payloadId } = begun as { readonly payloadId: string };
    const built = (await geth.askEngine(getPayload, [payloadId])) as BuiltBlock;
    if (built.executionPayload.transactions.length > 0) return built;
  }
  throw new Error('geth built no block with the transaction');
}
