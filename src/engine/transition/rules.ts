import {
  activeForks,
  type BlobParameters,
  blobParametersAt,
  type ChainConfig,
  type ForkName,
  type ForkPoint,
} from '../../chain/chain-config.ts';
import type { Header } from '../../chain/header.ts';
import type { BombDelay } from '../../evm/difficulty.ts';
import { REVISIONS, type Revision } from '../../evm/revision.ts';

/** Everything that a block's position in the fork schedule decides. */
export type BlockRules = {
  readonly chainId: bigint;
  readonly revision: Revision;
  /** EIP-155 signatures are accepted. */
  readonly hasReplayProtection: boolean;
  readonly isMerged: boolean;
  readonly bombDelay: BombDelay;
  /** Absent before Cancun. */
  readonly blobs: BlobParameters | undefined;
  /** Wei for the beneficiary of a proof-of-work block; 0 after the merge. */
  readonly blockReward: bigint;
  readonly depositContract: string;
};

const ETHER = 10n ** 18n;

/** The latest of these forks that is active decides how far the bomb is set back. */
const BOMB_DELAYS: readonly (readonly [ForkName, BombDelay])[] = [
  ['grayGlacier', 11_400_000n],
  ['arrowGlacier', 10_700_000n],
  ['london', 9_700_000n],
  ['muirGlacier', 9_000_000n],
  ['constantinople', 5_000_000n],
  ['petersburg', 5_000_000n],
  ['byzantium', 3_000_000n],
];

/** EIP-649 and EIP-1234 lowered the reward twice. */
function rewardOf(forks: readonly ForkName[]): bigint {
  if (forks.includes('paris')) return 0n;
  if (forks.includes('constantinople') || forks.includes('petersburg')) return 2n * ETHER;
  return forks.includes('byzantium') ? 3n * ETHER : 5n * ETHER;
}

/** The rules for a block at this point of the chain. */
export function rulesAt(config: ChainConfig, point: ForkPoint): BlockRules {
  const forks = activeForks(config, point);
  const revision = REVISIONS.findLast((name) => (forks as readonly string[]).includes(name)) ?? 'frontier';
  return {
    chainId: config.chainId,
    revision,
    hasReplayProtection: config.eip155Block !== undefined && point.number >= config.eip155Block,
    isMerged: point.isMerged,
    bombDelay: BOMB_DELAYS.find(([fork]) => forks.includes(fork))?.[1] ?? 0n,
    blobs: blobParametersAt(config, forks),
    blockReward: rewardOf(forks),
    depositContract: config.depositContract,
  };
}

/** Whether the block after one with this total difficulty is proof-of-stake (EIP-3675). */
export function isMergedAfter(config: ChainConfig, totalDifficulty: bigint): boolean {
  return config.terminalTotalDifficulty !== undefined && totalDifficulty >= config.terminalTotalDifficulty;
}

/** Whether the block after this one is: past a block without difficulty all are. */
export function isMergedPast(
  config: ChainConfig,
  {
    header,
    totalDifficulty,
  }: { readonly header: Pick<Header, 'difficulty'>; readonly totalDifficulty: bigint },
): boolean {
  return header.difficulty === 0n || isMergedAfter(config, totalDifficulty);
}

/**
 * Whether this block is. Without a terminal total difficulty, and past a fork by time, its own difficulty says so, as in geth: test
 * chains have forks by time from the beginning, and a terminal total difficulty that they do not reach.
 */
export function isMergedBlock(
  config: ChainConfig,
  parentTotalDifficulty: bigint,
  { difficulty, timestamp }: Pick<Header, 'difficulty' | 'timestamp'>,
): boolean {
  if (isMergedAfter(config, parentTotalDifficulty)) return true;
  const { terminalTotalDifficulty, timeForks } = config;
  const goesByDifficulty =
    terminalTotalDifficulty === undefined || timeForks.some(({ time }) => time <= timestamp);
  return goesByDifficulty && difficulty === 0n;
}
