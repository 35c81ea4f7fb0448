/** Genesis files and keys for chains that tests build, and an engine over them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { encodeBlock } from '../../packages/ethereum/codecs/block.ts';
import { concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { privateKeyToAddress } from '../../scripts/chains/secp256k1.ts';
import { EngineChain } from '../../src/chains/embedded/engine-chain.ts';
import {
  DEFAULT_POOL,
  ExecutionPool,
  type ExecutionPoolOptions,
} from '../../src/chains/embedded/execution/execution-pool.ts';
import { importChain } from '../../src/service/import.ts';
import { SILENT_PROGRESS } from '../../src/service/import-progress.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import type { ChainBuilder } from './chain-builder.ts';
import { makeTemporaryFolder } from './embedded.ts';

export const ALICE_KEY: Uint8Array = new Uint8Array(32).fill(0xa1);
export const ALICE: Uint8Array = privateKeyToAddress(ALICE_KEY);
export const ETHER: bigint = 10n ** 18n;

const BLOCK_FORKS =
  'homestead eip150 eip155 eip158 byzantium constantinople petersburg istanbul berlin london';
const TIME_FORKS = ['shanghaiTime', 'cancunTime', 'pragueTime', 'osakaTime', 'amsterdamTime'];

/** Code of the system contracts that blocks require from Prague on (EIP-7002, 7251, 8282), returning no requests: `0 0 RETURN`. */
const NO_REQUESTS = '0x60006000f3';
const REQUEST_CONTRACTS = [
  '0x00000961ef480eb55e80d19ad83579a64c007002',
  '0x0000bbddc7ce488642fb579f8b00f3a590007251',
  '0x0000bff46984e3725691fa540a8c7589300d8282',
  '0x000064d678505ad48f8ccb093bc65613800e8282',
];

export type GenesisOptions = {
  /** `berlin` and `london` begin with proof of work; later ones are merged from the start. */
  readonly revision: 'berlin' | 'london' | 'paris' | 'shanghai' | 'cancun' | 'prague' | 'osaka' | 'amsterdam';
  /** Accounts beside Alice, who has 1,000 ether. */
  readonly alloc?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly gasLimit?: bigint;
  /** Additional entries of `config`. */
  readonly config?: Readonly<Record<string, number>>;
};

const TIME_FORK_COUNT = {
  berlin: 0,
  london: 0,
  paris: 0,
  shanghai: 1,
  cancun: 2,
  prague: 3,
  osaka: 4,
  amsterdam: 5,
} as const;

/** A genesis file of chain 1337. */
export function createGenesis(options: GenesisOptions): string {
  const { revision, alloc = {}, gasLimit = 30_000_000n, config = {} } = options;
  const isMerged = revision !== 'berlin' && revision !== 'london';
  const blockForks = BLOCK_FORKS.split(' ').filter((fork) => fork !== 'london' || revision !== 'berlin');
  return JSON.stringify({
    config: {
      chainId: 1337,
      ...Object.fromEntries(blockForks.map((fork) => [`${fork}Block`, 0])),
      ...(isMerged && { terminalTotalDifficulty: 0 }),
      ...Object.fromEntries(TIME_FORKS.slice(0, TIME_FORK_COUNT[revision]).map((fork) => [fork, 0])),
      ...config,
    },
    gasLimit: `0x${gasLimit.toString(16)}`,
    difficulty: isMerged ? '0x0' : '0x20000',
    timestamp: '0x65000000',
    alloc: {
      [bytesToHex(ALICE)]: { balance: (1000n * ETHER).toString() },
      ...Object.fromEntries(
        REQUEST_CONTRACTS.map((address) => [address, { balance: '0', code: NO_REQUESTS }]),
      ),
      ...alloc,
    },
  });
}

export type OpenedChain = {
  readonly chain: EngineChain;
  readonly pool: ExecutionPool;
  /** Program faults that the pool has reported so far. */
  readonly faults: string[];
  /** Folder of the store. */
  readonly store: string;
  close(): Promise<void>;
};

/** Imports a built chain into a store of its own and opens an engine over it. */
export async function openBuiltChain(
  genesis: string,
  builder: ChainBuilder,
  options: Partial<ExecutionPoolOptions> = {},
): Promise<OpenedChain> {
  const folder = makeTemporaryFolder();
  const files = { genesis: join(folder.path, 'genesis.json'), blocks: join(folder.path, 'blocks.rlp') };
  writeFileSync(files.genesis, genesis);
  // Includes block 0: a chain may have no other block, and an empty file is an error.
  writeFileSync(files.blocks, concatBytes(encodeBlock(builder.genesisBlock), builder.encode()));
  const store = join(folder.path, 'chain');
  await importChain({ ...files, data: store, seal: 'ethash-format' }, SILENT_PROGRESS);
  const faults: string[] = [];
  const pool = new ExecutionPool({
    ...DEFAULT_POOL,
    threads: 1,
    onFault: (fault) => faults.push(fault),
    ...options,
  });
  const chain = new EngineChain(store, pool);
  return {
    chain,
    pool,
    faults,
    store,
    async close() {
      await pool.close();
      await chain.close();
      folder.remove();
    },
  };
}

/** Request scope with a time limit from now on. */
export function limitTo(
  milliseconds: number,
  signal: AbortSignal = new AbortController().signal,
): RequestScope {
  const scope = new RequestScope(performance.now() + milliseconds);
  signal.addEventListener('abort', () => scope.abort(signal.reason));
  return scope;
}

/** Assigns the scope to another owner. */
export function ownedBy(owner: string, scope: RequestScope): RequestScope {
  scope.owner = owner;
  return scope;
}
