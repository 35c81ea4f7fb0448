/** Fork rules of a chain: the `config` object of a geth genesis file. */

/** Forks activated at a block height, oldest first. `eip155Block` has no entry: EIP-155 is part of Spurious Dragon. */
const BLOCK_FORKS = [
  ['homestead', 'homesteadBlock'],
  ['tangerineWhistle', 'eip150Block'],
  ['spuriousDragon', 'eip158Block'],
  ['byzantium', 'byzantiumBlock'],
  ['constantinople', 'constantinopleBlock'],
  ['petersburg', 'petersburgBlock'],
  ['istanbul', 'istanbulBlock'],
  ['muirGlacier', 'muirGlacierBlock'],
  ['berlin', 'berlinBlock'],
  ['london', 'londonBlock'],
  ['arrowGlacier', 'arrowGlacierBlock'],
  ['grayGlacier', 'grayGlacierBlock'],
] as const;

/** Forks activated at a block timestamp, oldest first. */
const TIME_FORKS = [
  ['shanghai', 'shanghaiTime'],
  ['cancun', 'cancunTime'],
  ['prague', 'pragueTime'],
  ['osaka', 'osakaTime'],
  ['bpo1', 'bpo1Time'],
  ['bpo2', 'bpo2Time'],
  ['bpo3', 'bpo3Time'],
  ['bpo4', 'bpo4Time'],
  ['bpo5', 'bpo5Time'],
  ['amsterdam', 'amsterdamTime'],
] as const;

const TIME_KEYS: ReadonlySet<string> = new Set(TIME_FORKS.map(([, key]) => key.toLowerCase()));

export type ForkName =
  | 'frontier'
  | (typeof BLOCK_FORKS)[number][0]
  | 'paris'
  | (typeof TIME_FORKS)[number][0];

/** All forks, oldest first, each with the genesis file member that activates it. Two forks have no such member: Frontier and the merge (Paris). */
const FORKS: readonly (readonly [ForkName, string?])[] = [
  ['frontier'],
  ...BLOCK_FORKS,
  ['paris'],
  ...TIME_FORKS,
];

/** Returns the genesis file member that activates a fork; undefined for Frontier and the merge (Paris). */
export function forkMember(fork: ForkName): string | undefined {
  return FORKS.find(([name]) => name === fork)?.[1];
}

/** Activation height of a fork that never activates; higher than any block number. */
const NEVER: number = Number.MAX_SAFE_INTEGER;

/** Blob schedule of a fork (EIP-7840); `target` and `max` are numbers of blobs. */
export type BlobParameters = {
  readonly target: bigint;
  readonly max: bigint;
  readonly baseFeeUpdateFraction: bigint;
};

export type ChainConfig = {
  readonly chainId: bigint;
  /** Activation heights by fork; an absent fork never activates. */
  readonly blockForks: readonly { readonly fork: ForkName; readonly block: bigint }[];
  /** Activation timestamps (Unix seconds) by fork. */
  readonly timeForks: readonly { readonly fork: ForkName; readonly time: bigint }[];
  /** Height from which EIP-155 signatures are accepted. */
  readonly eip155Block: bigint | undefined;
  /** Height of the DAO fork's irregular state change; undefined if the chain has none. */
  readonly daoForkBlock: bigint | undefined;
  /** Blocks on top of a chain that has reached this total difficulty are proof-of-stake (EIP-3675). */
  readonly terminalTotalDifficulty: bigint | undefined;
  /** Height of geth's network split fork, which is configured after the merge. Blocks from this height on are proof-of-stake. */
  readonly mergeNetsplitBlock: bigint | undefined;
  readonly blobSchedule: ReadonlyMap<ForkName, BlobParameters>;
  /** Address of the deposit contract, whose logs are deposit requests (EIP-6110). As in geth, the default is the zero address. */
  readonly depositContract: string;
  /** All fork heights in the genesis file, ascending. A fork identifier (EIP-2124) is computed from these heights. */
  readonly forkHeights: readonly bigint[];
};

/** Genesis members whose heights enter the fork identifier (EIP-2124) but activate no fork of `BLOCK_FORKS`. */
const FURTHER_HEIGHTS = ['daoForkBlock', 'eip155Block', 'mergeNetsplitBlock'] as const;

/** Default deposit contract, as in geth. */
const NO_DEPOSIT_CONTRACT = '0x0000000000000000000000000000000000000000';

/** Default blob schedules (EIP-4844, EIP-7691); Osaka and Amsterdam inherit the schedule in force. */
const DEFAULT_BLOBS: readonly (readonly [ForkName, BlobParameters])[] = [
  ['cancun', { target: 3n, max: 6n, baseFeeUpdateFraction: 3338477n }],
  ['prague', { target: 6n, max: 9n, baseFeeUpdateFraction: 5007716n }],
];

/** Forks that inherit the blob schedule in force. As in geth, `blobSchedule` entries of these forks are ignored. */
const WITHOUT_BLOB_SCHEDULE: ReadonlySet<string> = new Set(['amsterdam']);

/** JSON object of a genesis file: keys are case-insensitive as in geth, and null means absent. */
export class GenesisObject {
  /** Keys that have a value, as they are spelt. */
  readonly provided: readonly string[];
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(object: object) {
    this.provided = Object.entries(object).flatMap(([key, value]) => (value == null ? [] : [key]));
    this.#values = new Map(
      Object.entries(object).map(([key, value]) => [key.toLowerCase(), value ?? undefined]),
    );
  }

  get(key: string): unknown {
    return this.#values.get(key.toLowerCase());
  }
}

function readInteger(object: GenesisObject, key: string): bigint | undefined {
  const value = object.get(key);
  if (value === undefined) return undefined;
  const isNumber = typeof value === 'number' && Number.isInteger(value) && value >= 0;
  if (!isNumber && !(typeof value === 'string' && /^(0x[0-9a-fA-F]+|[0-9]+)$/.test(value))) {
    throw new RangeError(`genesis config: ${key} is not an unsigned integer`);
  }
  return BigInt(value as number | string);
}

function readBlobSchedule(config: GenesisObject): ReadonlyMap<ForkName, BlobParameters> {
  const schedule = new Map<ForkName, BlobParameters>(DEFAULT_BLOBS);
  const provided = (config.get('blobSchedule') ?? {}) as Readonly<Record<string, object | null>>;
  for (const [key, value] of Object.entries(provided)) {
    if (value === null) continue;
    const fork = key.toLowerCase();
    if (WITHOUT_BLOB_SCHEDULE.has(fork)) continue;
    const entry = new GenesisObject(value);
    const target = readInteger(entry, 'target');
    const max = readInteger(entry, 'max');
    const baseFeeUpdateFraction = readInteger(entry, 'baseFeeUpdateFraction');
    if (target === undefined || max === undefined || baseFeeUpdateFraction === undefined) {
      throw new RangeError(`genesis config: blobSchedule.${key} is incomplete`);
    }
    schedule.set(fork as ForkName, { target, max, baseFeeUpdateFraction });
  }
  return schedule;
}

/**
 * Checks that the configured time forks are in schedule order (geth's `CheckConfigForkOrder`, in which `amsterdamTime` follows `bpo5Time`).
 * @throws RangeError with geth's error text
 */
function checkTimeOrder(timeForks: ChainConfig['timeForks']): void {
  for (const [i, { fork, time }] of timeForks.entries()) {
    const before = timeForks[i - 1];
    if (before === undefined || before.time <= time) continue;
    throw new RangeError(
      `genesis config: unsupported fork ordering: ${before.fork} enabled at timestamp ${before.time}, ` +
        `but ${fork} enabled at timestamp ${time}`,
    );
  }
}

/** Rejects unknown forks, since their blocks would be executed by older rules. @throws RangeError that names the member */
function refuseUnknownForks(config: GenesisObject): void {
  const unknown = config.provided.find((key) => /time$/i.test(key) && !TIME_KEYS.has(key.toLowerCase()));
  if (unknown !== undefined)
    throw new RangeError(
      `genesis config: ${unknown} activates a fork that this version does not know; the last one that it knows is amsterdamTime`,
    );
}

/**
 * Parses the `config` object of a genesis file.
 * @param exactTotalDifficulty decimal digits of the terminal total difficulty, since mainnet's value exceeds the precision of a JSON number
 * @throws RangeError that names the missing or malformed field, or the unknown fork
 */
export function parseChainConfig(object: object, exactTotalDifficulty?: string): ChainConfig {
  const config = new GenesisObject(object);
  const chainId = readInteger(config, 'chainId');
  if (chainId === undefined) throw new RangeError('genesis config: chainId is missing');
  const blockForks = BLOCK_FORKS.flatMap(([fork, key]) => {
    // Without a block of its own, Petersburg activates with Constantinople.
    const block =
      readInteger(config, key) ??
      (fork === 'petersburg' ? readInteger(config, 'constantinopleBlock') : undefined);
    return block === undefined ? [] : [{ fork: fork as ForkName, block }];
  });
  const timeForks = TIME_FORKS.flatMap(([fork, key]) => {
    const time = readInteger(config, key);
    return time === undefined ? [] : [{ fork: fork as ForkName, time }];
  });
  refuseUnknownForks(config);
  checkTimeOrder(timeForks);
  const furtherHeights = FURTHER_HEIGHTS.flatMap((key) => readInteger(config, key) ?? []);
  const forkHeights = new Set([...blockForks.map(({ block }) => block), ...furtherHeights]);
  const supportsDao = config.get('daoForkSupport') !== false;
  return {
    chainId,
    blockForks,
    timeForks,
    eip155Block: readInteger(config, 'eip155Block') ?? readInteger(config, 'eip158Block'),
    daoForkBlock: supportsDao ? readInteger(config, 'daoForkBlock') : undefined,
    terminalTotalDifficulty:
      exactTotalDifficulty === undefined
        ? readInteger(config, 'terminalTotalDifficulty')
        : BigInt(exactTotalDifficulty),
    mergeNetsplitBlock: readInteger(config, 'mergeNetsplitBlock'),
    blobSchedule: readBlobSchedule(config),
    depositContract: String(config.get('depositContractAddress') ?? NO_DEPOSIT_CONTRACT).toLowerCase(),
    forkHeights: [...forkHeights].sort((a, b) => (a < b ? -1 : 1)),
  };
}

/**
 * Returns the genesis `config` members of a chain on which this fork and all earlier ones are active from block 0.
 * @throws RangeError for an unknown fork
 */
export function listForkMembers(fork: ForkName): Readonly<Record<string, number>> {
  const index = FORKS.findIndex(([name]) => name === fork);
  if (index < 0)
    throw new RangeError(`there is no fork "${fork}": use ${FORKS.map(([name]) => name).join(', ')}`);
  const active = FORKS.slice(0, index + 1);
  const members = active.flatMap(([, member]) => (member === undefined ? [] : [[member, 0] as const]));
  // Without a block of its own, Petersburg would activate with Constantinople.
  return { petersburgBlock: NEVER, ...Object.fromEntries(members) };
}

/** Position of a block in the fork schedule. */
export type ForkPoint = {
  readonly number: bigint;
  readonly timestamp: bigint;
  /** True for a proof-of-stake block: the parent's total difficulty has reached the terminal total difficulty. */
  readonly isMerged: boolean;
};

/** Whether a block of this number and timestamp is proof-of-stake. Follows geth's rule for simulated blocks, which have no total difficulty. */
export function isMergedAt(config: ChainConfig, number: bigint, timestamp: bigint): boolean {
  if (config.terminalTotalDifficulty === 0n) return true;
  const { mergeNetsplitBlock, timeForks } = config;
  if (mergeNetsplitBlock !== undefined && number >= mergeNetsplitBlock) return true;
  return timeForks.some(({ fork, time }) => fork === 'shanghai' && timestamp >= time);
}

/** Returns the forks active at a block, oldest first. The last fork determines the block's rules. */
export function activeForks(config: ChainConfig, point: ForkPoint): readonly ForkName[] {
  const forks: ForkName[] = ['frontier'];
  for (const { fork, block } of config.blockForks) if (point.number >= block) forks.push(fork);
  if (!point.isMerged || !forks.includes('london')) return forks;
  forks.push('paris');
  for (const { fork, time } of config.timeForks) if (point.timestamp >= time) forks.push(fork);
  return forks;
}

/** Returns the blob parameters of the latest active fork that has an entry in the schedule; undefined before Cancun. */
export function blobParametersAt(
  config: ChainConfig,
  forks: readonly ForkName[],
): BlobParameters | undefined {
  if (!forks.includes('cancun')) return undefined;
  return forks.reduce<BlobParameters | undefined>(
    (latest, fork) => config.blobSchedule.get(fork) ?? latest,
    undefined,
  );
}
