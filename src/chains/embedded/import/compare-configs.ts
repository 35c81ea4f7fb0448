import {
  type BlobParameters,
  type ChainConfig,
  type ForkName,
  forkMember,
} from '../../../../packages/ethereum/codecs/chain-config.ts';
import type { StoredHeader } from '../store/chain-reader.ts';

/** A rule that differs between the stored configuration and a new one. */
export type ConfigDifference = {
  /** Member of the genesis file's `config` object. */
  readonly member: string;
  /** Stored value as text. */
  readonly before: string;
  /** New value as text. */
  readonly after: string;
  /** Whether the rule concerns a stored block. */
  readonly isPast: boolean;
};

/** Position of the last stored block. */
type Head = Pick<StoredHeader, 'totalDifficulty'> & {
  readonly header: Pick<StoredHeader['header'], 'number' | 'timestamp'>;
};

const ABSENT = 'absent';

/**
 * Compares the rules of two configurations, as geth's `CheckCompatible` does: a difference is compatible if both values are above the head. Beyond
 * geth, compares also chain id, merge, deposit contract and blob schedule.
 */
export function compareConfigs(before: ChainConfig, after: ChainConfig, head: Head): ConfigDifference[] {
  const { number, timestamp } = head.header;
  const isPastHeight = (height: bigint): boolean => height <= number;
  const isPastTime = (time: bigint): boolean => time <= timestamp;
  return [
    ...compareValue('chainId', before.chainId, after.chainId, () => true),
    ...compareEach(mapHeights(before), mapHeights(after), isPastHeight),
    ...compareMerge(before, after, head),
    ...compareEach(mapTimes(before), mapTimes(after), isPastTime),
    ...compareBlobs(before, after, timestamp),
    ...compareDeposits(before, after, timestamp),
  ];
}

function compareValue(
  member: string,
  before: bigint | undefined,
  after: bigint | undefined,
  isPast: (value: bigint) => boolean,
): ConfigDifference[] {
  if (before === after) return [];
  const isAnyPast = [before, after].some((value) => value !== undefined && isPast(value));
  return [{ member, before: `${before ?? ABSENT}`, after: `${after ?? ABSENT}`, isPast: isAnyPast }];
}

function compareEach(
  before: ReadonlyMap<string, bigint>,
  after: ReadonlyMap<string, bigint>,
  isPast: (value: bigint) => boolean,
): ConfigDifference[] {
  const members = new Set([...before.keys(), ...after.keys()]);
  return [...members].flatMap((member) =>
    compareValue(member, before.get(member), after.get(member), isPast),
  );
}

/** Activation heights by member. */
function mapHeights(config: ChainConfig): ReadonlyMap<string, bigint> {
  const { blockForks, eip155Block, daoForkBlock, mergeNetsplitBlock } = config;
  const further = Object.entries({ eip155Block, daoForkBlock, mergeNetsplitBlock });
  return new Map([
    ...blockForks.map(({ fork, block }) => [forkMember(fork) ?? fork, block] as const),
    ...further.flatMap(([member, height]) => (height === undefined ? [] : [[member, height] as const])),
  ]);
}

/** Activation timestamps by member. */
function mapTimes({ timeForks }: ChainConfig): ReadonlyMap<string, bigint> {
  return new Map(timeForks.map(({ fork, time }) => [forkMember(fork) ?? fork, time]));
}

/** Without a terminal total difficulty, the blocks of a chain that has no difficulty are merged, as with a terminal total difficulty of 0. */
function compareMerge(
  before: ChainConfig,
  after: ChainConfig,
  { totalDifficulty }: Head,
): ConfigDifference[] {
  const [old, changed] = [before.terminalTotalDifficulty, after.terminalTotalDifficulty];
  const isSame = totalDifficulty === 0n && (old ?? 0n) === (changed ?? 0n);
  return compareValue(
    'terminalTotalDifficulty',
    old,
    changed,
    (value) => !isSame && value <= totalDifficulty,
  );
}

function compareBlobs(before: ChainConfig, after: ChainConfig, timestamp: bigint): ConfigDifference[] {
  const forks = new Set<ForkName>([...before.blobSchedule.keys(), ...after.blobSchedule.keys()]);
  return [...forks].flatMap((fork) => {
    const [old, changed] = [before, after].map(({ blobSchedule }) => describeBlobs(blobSchedule.get(fork)));
    if (old === changed) return [];
    const member = `blobSchedule.${fork}`;
    const isPast = isActive(before, fork, timestamp) || isActive(after, fork, timestamp);
    return [{ member, before: old ?? ABSENT, after: changed ?? ABSENT, isPast }];
  });
}

function describeBlobs(blobs: BlobParameters | undefined): string {
  if (blobs === undefined) return ABSENT;
  const { target, max, baseFeeUpdateFraction } = blobs;
  return `target ${target}, max ${max}, baseFeeUpdateFraction ${baseFeeUpdateFraction}`;
}

/** Deposits are requests from Prague on (EIP-6110). */
function compareDeposits(before: ChainConfig, after: ChainConfig, timestamp: bigint): ConfigDifference[] {
  const [old, changed] = [before.depositContract, after.depositContract];
  if (old === changed) return [];
  const isPast = isActive(before, 'prague', timestamp) || isActive(after, 'prague', timestamp);
  return [{ member: 'depositContractAddress', before: old, after: changed, isPast }];
}

function isActive({ timeForks }: ChainConfig, fork: ForkName, timestamp: bigint): boolean {
  return timeForks.some((one) => one.fork === fork && one.time <= timestamp);
}
