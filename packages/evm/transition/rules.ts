import {
  activeForks,
  type BlobParameters,
  blobParametersAt,
  type ChainConfig,
  type ForkName,
  type ForkPoint,
} from '../../ethereum/codecs/chain-config.ts';
import type { Header } from '../../ethereum/codecs/header.ts';
import { maxBigInt } from '../../ethereum/primitives/bigint.ts';
import type { RevisionRules } from '../interpreter/revisions/revision-rules.ts';
import { latestRules } from '../interpreter/revisions/revisions.ts';

/** All rules that follow from a block's position in the fork schedule. */
export type BlockRules = {
  readonly chainId: bigint;
  readonly revision: RevisionRules;
  /** Whether EIP-155 signatures are valid. */
  readonly hasReplayProtection: boolean;
  readonly isMerged: boolean;
  /** Number of blocks by which the difficulty bomb is delayed. */
  readonly bombDelay: bigint;
  /** Blob parameters of the block; absent before Cancun. */
  readonly blobs: BlobParameters | undefined;
  readonly depositContract: string;
};

/** Forks that only delay the difficulty bomb: EIP-2384, 4345, 5133. */
const BOMB_DELAYS: readonly (readonly [ForkName, bigint])[] = [
  ['muirGlacier', 9_000_000n],
  ['arrowGlacier', 10_700_000n],
  ['grayGlacier', 11_400_000n],
];

/** Returns the rules of a block at this point of the fork schedule. */
export function rulesAt(config: ChainConfig, point: ForkPoint): BlockRules {
  const forks = activeForks(config, point);
  const revision = latestRules(forks);
  return {
    chainId: config.chainId,
    revision,
    hasReplayProtection: config.eip155Block !== undefined && point.number >= config.eip155Block,
    isMerged: point.isMerged,
    bombDelay: BOMB_DELAYS.reduce(
      (delay, [fork, later]) => (forks.includes(fork) ? maxBigInt(delay, later) : delay),
      revision.bombDelay,
    ),
    blobs: blobParametersAt(config, forks),
    depositContract: config.depositContract,
  };
}

/** Returns the rules of a block from its header alone: zero difficulty means proof of stake. */
export function rulesOfHeader(
  config: ChainConfig,
  { number, timestamp, difficulty }: Pick<Header, 'number' | 'timestamp' | 'difficulty'>,
): BlockRules {
  return rulesAt(config, { number, timestamp, isMerged: difficulty === 0n });
}

/** Whether the child of a block with this total difficulty is proof-of-stake (EIP-3675). */
export function isMergedAfter(config: ChainConfig, totalDifficulty: bigint): boolean {
  return config.terminalTotalDifficulty !== undefined && totalDifficulty >= config.terminalTotalDifficulty;
}

/** Whether the child of this block is proof-of-stake. Every child of a block with zero difficulty is proof-of-stake. */
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
 * Whether a block is proof-of-stake. As in geth, zero difficulty means proof of stake if there is no terminal total difficulty, or if a fork by
 * timestamp is active. Test chains activate forks by timestamp from genesis on, and never reach their terminal total difficulty.
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
