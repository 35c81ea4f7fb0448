/** Chains of the shapes that hive and geth's own tests have, which geth builds through its engine API. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SYSTEM_CONTRACTS } from '../../../scripts/contracts/system-contracts.ts';
import { bytesToHex, hexToBytes } from '../../../src/primitives/hex.ts';
import { privateKeyToAddress } from '../../../src/primitives/secp256k1.ts';
import { signTransaction } from '../../support/chain-builder.ts';
import { expectValid, type GethNode, startGeth } from './geth-node.ts';

const KEY: Uint8Array = hexToBytes(`0x${'45'.repeat(32)}`);
const SENDER: string = bytesToHex(privateKeyToAddress(KEY));
const ZERO_HASH = `0x${'00'.repeat(32)}`;
export const HIVE_BLOCKS = 3;
const BLOCK_GAS_LIMIT = 30_000_000n;
const SLOT_SECONDS = 12;
const CHAIN_ID = 1337n;
const BEACON_ROOT = `0x${'7b'.repeat(32)}`;
const BUILD_ATTEMPTS = 20;
const BUILD_PAUSE_MS = 50;
/** Stores the block's number and returns code of one byte. */
const CREATION: Uint8Array = hexToBytes('0x4360005560016000f3');

const quantity = (value: number): string => `0x${value.toString(16)}`;

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

/** A genesis file but for its allocation. */
export type GenesisShape = { readonly name: string; readonly config: object; readonly header: object };

/** By the names that `--chain` takes. */
export const SHAPES: Readonly<Record<'reached' | 'unreached', GenesisShape>> = {
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
  },
  unreached: {
    name: 'no block reaches the terminal total difficulty; keys in other case',
    config: { ...FORKS, chainID: FORKS.chainId, chainId: undefined, TerminalTotalDifficulty: 10 ** 15 },
    header: { Difficulty: '0x20000', nonce: '42', baseFeePerGas: '0x7' },
  },
};

/** Files of a chain that geth has built. */
export type HiveChain = {
  readonly genesis: string;
  readonly blocks: string;
  readonly headCall: string;
  /** Keys of its accounts, as the vectors have them. */
  readonly accounts: string;
  readonly head: string;
};

/** Has geth build a few blocks with a transaction each, and writes files of the chain into a folder. */
export async function buildHiveChain({ config, header }: GenesisShape, folder: string): Promise<HiveChain> {
  const [genesis, blocks, headCall, accounts] = [
    'genesis.json',
    'blocks.rlp',
    'head.json',
    'accounts.json',
  ].map((name) => join(folder, name)) as [string, string, string, string];
  const alloc = Object.fromEntries([
    [SENDER.slice(2), { balance: '0xde0b6b3a7640000' }],
    ...SYSTEM_CONTRACTS.map(({ address, code, storage }) => [
      address,
      { balance: '0x0', code, storage: padSlots(storage) },
    ]),
  ]);
  const gasLimit = `0x${BLOCK_GAS_LIMIT.toString(16)}`;
  writeFileSync(genesis, JSON.stringify({ config, ...header, gasLimit, timestamp: '0x5', alloc }));
  writeFileSync(accounts, JSON.stringify({ [SENDER]: { key: bytesToHex(KEY) } }));
  const geth = await startGeth({ genesis, blockGasLimit: BLOCK_GAS_LIMIT });
  let head = '';
  try {
    for (let number = 1; number <= HIVE_BLOCKS; number++) head = await addBlock(geth, number);
    await geth.export(blocks);
  } finally {
    await geth.close();
  }
  const call = { jsonrpc: '2.0', id: 1, method: 'engine_forkchoiceUpdatedV3' };
  const state = { headBlockHash: head, safeBlockHash: head, finalizedBlockHash: head };
  writeFileSync(headCall, JSON.stringify({ ...call, params: [state, null] }));
  return { genesis, blocks, headCall, accounts, head };
}

/** geth takes slots of whole bytes only. */
function padSlots(storage: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(storage).map(([slot, value]) => [`0x${slot.slice(2).padStart(64, '0')}`, value]),
  );
}

type BuiltBlock = {
  readonly executionPayload: { readonly blockHash: string; readonly transactions: readonly string[] };
  readonly executionRequests: readonly string[];
};

/** Has geth build a block with one transaction, and makes it the head. @returns its hash */
async function addBlock(geth: GethNode, number: number): Promise<string> {
  const transaction = signTransaction(KEY, {
    chainId: CHAIN_ID,
    nonce: BigInt(number - 1),
    gasLimit: 200_000n,
    // geth includes nothing for less than a thousandth of this.
    maxPriorityFeePerGas: 10n ** 9n,
    data: CREATION,
  });
  await geth.ask('eth_sendRawTransaction', [bytesToHex(transaction.encoded)]);
  const { executionPayload, executionRequests } = await buildPayload(geth, number);
  const payload = [executionPayload, [], BEACON_ROOT, executionRequests];
  expectValid(await geth.askEngine('engine_newPayloadV4', payload));
  expectValid(
    await geth.askEngine('engine_forkchoiceUpdatedV3', [stateAt(executionPayload.blockHash), null]),
  );
  return executionPayload.blockHash;
}

const stateAt = (hash: string): object => ({
  headBlockHash: hash,
  safeBlockHash: hash,
  finalizedBlockHash: ZERO_HASH,
});

/**
 * A block on top of the head that has the transaction. geth answers with the block as far as it has been built: an early question
 * finds it empty, and ends the building, so that another block is asked for.
 */
async function buildPayload(geth: GethNode, number: number): Promise<BuiltBlock> {
  const parent = (await geth.ask('eth_getBlockByNumber', ['latest', false])) as {
    readonly hash: string;
    readonly timestamp: string;
  };
  for (let attempt = 1; attempt <= BUILD_ATTEMPTS; attempt++) {
    const attributes = {
      timestamp: quantity(Number(parent.timestamp) + SLOT_SECONDS),
      prevRandao: `0x${attempt.toString(16).padStart(64, '0')}`,
      suggestedFeeRecipient: SENDER,
      withdrawals: [{ index: quantity(number), validatorIndex: '0x1', address: SENDER, amount: '0x1' }],
      parentBeaconBlockRoot: BEACON_ROOT,
    };
    const begun = await geth.askEngine('engine_forkchoiceUpdatedV3', [stateAt(parent.hash), attributes]);
    expectValid(begun);
    await sleep(attempt * BUILD_PAUSE_MS);
    const { payloadId } = begun as { readonly payloadId: string };
    const built = (await geth.askEngine('engine_getPayloadV4', [payloadId])) as BuiltBlock;
    if (built.executionPayload.transactions.length > 0) return built;
  }
  throw new Error('geth built no block with the transaction');
}
