import {
  activeForks,
  type BlobParameters,
  blobParametersAt,
  type ChainConfig,
  type ForkName,
  type ForkPoint,
} from '../../chain/chain-config.ts';
import type { Header } from '../../chain/header.ts';
import type { RevisionRules } from '../../evm/revisions/revision-rules.ts';
import { latestRules } from '../../evm/revisions/revisions.ts';
import { maxBigInt } from '../../primitives/bigint.ts';

/** Everything that a block's position in the fork schedule decides. */
export type BlockRules = {
  readonly chainId: bigint;
  readonly revision: RevisionRules;
  /** EIP-155 signatures are accepted. */
  readonly hasReplayProtection: boolean;
  readonly isMerged: boolean;
  /** Blocks by which the difficulty bomb is set back. */
  readonly bombDelay: bigint;
  /** Absent before Cancun. */
  readonly blobs: BlobParameters | undefined;
  readonly depositContract: string;
};

/** Forks that do nothing but set the difficulty bomb back: EIP-2384, 4345, 5133. */
const BOMB_DELAYS: readonly (readonly [ForkName, bigint])[] = [
  ['muirGlacier', 9_000_000n],
  ['arrowGlacier', 10_700_000n],
  ['grayGlacier', 11_400_000n],
];

/** The rules for a block at this point of the chain. */
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

/** The rules of a block by its header alone: without difficulty it is proof-of-stake. */
export function rulesOfHeader(
  config: ChainConfig,
  { number, timestamp, difficulty }: Pick<Header, 'number' | 'timestamp' | 'difficulty'>,
): BlockRules {
  return rulesAt(config, { number, timestamp, isMerged: difficulty === 0n });
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
