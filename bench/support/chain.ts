import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeBlock } from '../../packages/ethereum/codecs/block.ts';
import { ZERO_ADDRESS } from '../../packages/ethereum/primitives/address.ts';
import { concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { ChainBuilder, type ChainStyle } from '../../scripts/chains/chain-builder.ts';
import {
  type Allocation,
  allocateContract,
  allocateSystemContracts,
  renderGenesis,
} from '../../scripts/chains/genesis-file.ts';
import type { TransactionPlan } from '../../scripts/chains/transaction-plan.ts';

export const CHAIN_ID = 1337;

const GENESIS_TIME = 1_700_000_000n;
const SLOT_SECONDS = 12n;
const GWEI = 10n ** 9n;
const BLOCK_FORKS =
  'homestead eip150 eip155 eip158 byzantium constantinople petersburg istanbul berlin london';
/** Prague is the last revision where a call may take more gas than EIP-7825 allows a transaction. */
const TIME_FORKS = 'shanghai cancun prague';
const BLOBS = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 };

export const BLOCK_STYLE: ChainStyle = {
  headerOf: (number) => ({
    timestamp: GENESIS_TIME + number * SLOT_SECONDS,
    beneficiary: ZERO_ADDRESS,
    extraData: new Uint8Array(0),
  }),
  fees: {
    gasPrice: 10n * GWEI,
    maxFeePerGas: 10n * GWEI,
    maxPriorityFeePerGas: 1n,
    maxFeePerBlobGas: GWEI,
  },
};

/** A contract of the genesis state, at a 20-byte address. */
export type Contract = {
  readonly address: Uint8Array;
  readonly code: Uint8Array | string;
  readonly storage?: Allocation['storage'];
};

/** Renders a geth genesis file: Prague from block 0, with the development accounts and these contracts. */
export function renderBenchGenesis(contracts: readonly Contract[], gasLimit: bigint): string {
  return renderGenesis({
    config: {
      chainId: CHAIN_ID,
      ...Object.fromEntries(BLOCK_FORKS.split(' ').map((fork) => [`${fork}Block`, 0])),
      terminalTotalDifficulty: 0,
      ...Object.fromEntries(TIME_FORKS.split(' ').map((fork) => [`${fork}Time`, 0])),
      blobSchedule: { cancun: { ...BLOBS, target: 3, max: 6 }, prague: BLOBS },
    },
    header: {
      nonce: '0x0',
      timestamp: `0x${GENESIS_TIME.toString(16)}`,
      gasLimit: `0x${gasLimit.toString(16)}`,
      difficulty: '0x0',
    },
    allocations: padStorage({
      ...allocateSystemContracts(),
      ...Object.fromEntries(
        contracts.map(({ address, code, storage }) => [bytesToHex(address), allocateContract(code, storage)]),
      ),
    }),
  });
}

/** Pads slots and values to whole words, the only form that anvil accepts. */
function padStorage(allocations: Readonly<Record<string, Allocation>>): Record<string, Allocation> {
  const padWord = (quantity: string): string => `0x${quantity.slice(2).padStart(64, '0')}`;
  return Object.fromEntries(
    Object.entries(allocations).map(([address, { storage = {}, ...account }]) => {
      const words = Object.entries(storage).map(([slot, value]) => [padWord(slot), padWord(value)]);
      return [address, { ...account, storage: Object.fromEntries(words) as Record<string, string> }];
    }),
  );
}

/** Creates a temporary folder that is removed when the process exits. */
export function makeBenchFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
  process.on('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}

export type ChainFiles = {
  /** Path of the geth genesis file. */
  readonly genesis: string;
  /** Path of the block file. */
  readonly blocks: string;
};

/** Writes a chain of one block with these transactions on top of a genesis with these contracts. */
export async function writeBenchChain(
  folder: string,
  contracts: readonly Contract[],
  gasLimit: bigint,
  transactions: readonly TransactionPlan[] = [],
): Promise<ChainFiles> {
  const files = { genesis: join(folder, 'genesis.json'), blocks: join(folder, 'blocks.rlp') };
  const genesis = renderBenchGenesis(contracts, gasLimit);
  const builder = new ChainBuilder(genesis, BLOCK_STYLE);
  await builder.append({ shows: 'transfers', transactions: [...transactions] });
  writeFileSync(files.genesis, genesis);
  writeFileSync(files.blocks, concatBytes(...builder.chain.slice(1).map(({ block }) => encodeBlock(block))));
  return files;
}
