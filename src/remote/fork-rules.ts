import { type ChainConfig, type ForkName, listForkMembers, parseChainConfig } from '../chain/chain-config.ts';
import { type Header, hasFieldsOf } from '../chain/header.ts';
import { type BlockRules, rulesOfHeader } from '../engine/transition/rules.ts';
import { rulesOf } from '../evm/revisions/revisions.ts';
import { minBigInt } from '../primitives/bigint.ts';
import type { Members } from '../verification/findings.ts';
import { isMembers } from '../verification/members.ts';
import { findKnownChain, hasOwnContracts } from './known-chains.ts';

/** Forks by time that change what is executed, oldest first. What changes blobs alone is in the schedule that a node tells. */
const FORKS = ['shanghai', 'cancun', 'prague', 'osaka', 'amsterdam'] as const satisfies readonly ForkName[];
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const NEVER = 2n ** 63n;

/** Rules that nodes have told, for blocks from one time to another, seconds. Of several that they may mean a block's header decides. */
type ToldRules = {
  readonly configs: readonly ChainConfig[];
  readonly since: bigint;
  readonly until: bigint;
  /** The same for answers that say the same. */
  readonly name: string;
};

/** The rules of a block, and why they may be others, as the rest of a sentence; undefined where more than one node's word says that they are these. */
export type FoundRules = { readonly config: ChainConfig; readonly whyUnproven: string | undefined };

const TOLD_BY_ONE = 'only one node tells the rules of the chain (eth_config): name a genesis file in `chain`';

/** Which rules a chain follows: as configured; else as nodes say of their present (EIP-7910), but for forks before those of public chains in a table; else as the table has them. */
export class ForkRules {
  readonly #needed: number;
  readonly #chainId: bigint;
  readonly #configured: ChainConfig | undefined;
  readonly #known: ChainConfig | undefined;
  #told: ToldRules | undefined;
  #isAgreed = false;

  /** @param needed how many have to tell the same: two nodes, or as many operators as agreement demands */
  constructor(chainId: bigint, configured: ChainConfig | undefined, needed = 2) {
    this.#needed = needed;
    this.#chainId = chainId;
    this.#configured = configured;
    this.#known = findKnownChain(chainId);
  }

  /** Whether as many as are needed tell the same. */
  get isAgreed(): boolean {
    return this.#isAgreed;
  }

  /** Whether nodes are to be asked for the rules at a time, seconds. */
  needsTelling(timestamp: bigint): boolean {
    if (this.#configured !== undefined) return false;
    return !this.#isAgreed || this.#told === undefined || timestamp >= this.#told.until;
  }

  /**
   * Takes the answers of nodes to `eth_config`. One of another form says nothing; where nodes contradict each other the rules are not known, unless as many of
   * them as are needed say the same.
   * @returns whether they do
   */
  note(answers: readonly unknown[]): boolean {
    const { told, agreed } = this.#readAll(answers);
    if (told.length === 0) return false;
    this.#isAgreed = agreed !== undefined;
    this.#told = agreed ?? (told.every(({ name }) => name === told[0]?.name) ? told[0] : undefined);
    return this.#isAgreed;
  }

  /**
   * Takes the answers of nodes that are asked whether what they agreed on has changed. It stays until as many of them as are needed agree on something else, but no
   * longer than up to the next fork that one of them tells.
   * @returns undefined where they say nothing of it yet
   */
  review(answers: readonly unknown[]): 'same' | 'changed' | 'contradicted' | undefined {
    const before = this.#told;
    const { told, agreed } = this.#readAll(answers);
    if (before === undefined) return undefined;
    if (agreed !== undefined) {
      this.#told = agreed;
      return agreed.name === before.name ? 'same' : 'changed';
    }
    const other = told.find(({ name }) => name !== before.name);
    if (other === undefined) return undefined;
    this.#told = { ...before, until: minBigInt(before.until, other.until) };
    return 'contradicted';
  }

  /** Those that can be read, and of them the one that as many as are needed tell. */
  #readAll(answers: readonly unknown[]): {
    readonly told: readonly ToldRules[];
    readonly agreed?: ToldRules;
  } {
    const told = answers.map((answer) => this.#read(answer)).filter((rules) => rules !== undefined);
    const agreed = told.find(
      ({ name }) => told.filter((other) => other.name === name).length >= this.#needed,
    );
    return agreed === undefined ? { told } : { told, agreed };
  }

  #read(answer: unknown): ToldRules | undefined {
    try {
      return this.#readConfig(answer);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  #readConfig(answer: unknown): ToldRules | undefined {
    if (!isMembers(answer) || !isMembers(answer['current'])) return undefined;
    const { precompiles, activationTime, blobSchedule } = answer['current'];
    const since = toInteger(activationTime);
    if (!isMembers(precompiles) || since === undefined) return undefined;
    const { next } = answer;
    const until = isMembers(next) ? toInteger(next['activationTime']) : undefined;
    const addresses = Object.values(precompiles).map(readAddress).sort();
    const configs = FORKS.flatMap((fork) =>
      hasPrecompiles(fork, addresses) ? [this.#configOf(fork, blobSchedule)] : [],
    );
    const { target, max, baseFeeUpdateFraction } = isMembers(blobSchedule) ? blobSchedule : {};
    const name = JSON.stringify([`${since} ${until}`, target, max, baseFeeUpdateFraction, addresses.join()]);
    return { configs, since, until: until ?? NEVER, name };
  }

  /** The rules that a block follows; undefined where they are not known, or its header is not of theirs. */
  find(header: Header): FoundRules | undefined {
    const [config, ...others] = this.#candidates(header).filter((each) =>
      hasFieldsOf(rulesOfHeader(each, header).revision, header),
    );
    if (config === undefined) return undefined;
    const isTold = this.#told?.configs.includes(config) === true;
    const known = others.find((other) => other === this.#known);
    const isKnown =
      known !== undefined && areSame(rulesOfHeader(known, header), rulesOfHeader(config, header));
    return { config, whyUnproven: isTold && !this.#isAgreed && !isKnown ? this.#whyTold : undefined };
  }

  get #whyTold(): string {
    if (this.#needed <= 2) return TOLD_BY_ONE;
    return `fewer than the ${this.#needed} operators that agreement demands tell the rules of the chain (eth_config): name a genesis file in \`chain\``;
  }

  #candidates({ timestamp }: Header): readonly ChainConfig[] {
    if (this.#configured !== undefined) return [this.#configured];
    if (hasOwnContracts(this.#chainId)) return [];
    const known = this.#known === undefined ? [] : [this.#known];
    const told = this.#told;
    if (told === undefined || timestamp < told.since || timestamp >= told.until) return known;
    const least = this.#known === undefined ? -1 : indexOfFork(this.#known, timestamp);
    return [...told.configs.filter((config) => indexOfFork(config, timestamp) >= least), ...known];
  }

  #configOf(fork: (typeof FORKS)[number], blobs: unknown): ChainConfig {
    // Amsterdam has the schedule of the fork before it.
    const scheduled = fork === 'amsterdam' ? 'osaka' : fork;
    return parseChainConfig({
      ...listForkMembers(fork),
      terminalTotalDifficulty: 0,
      chainId: `${this.#chainId}`,
      ...(isMembers(blobs) && { blobSchedule: { [scheduled]: readBlobs(blobs) } }),
    });
  }
}

/** The latest fork that a chain has had at a time, by its place among `FORKS`; below 0 where it had none. */
function indexOfFork({ timeForks }: ChainConfig, timestamp: bigint): number {
  return FORKS.findLastIndex((name) =>
    timeForks.some(({ fork, time }) => fork === name && time <= timestamp),
  );
}

/** @throws RangeError where a price cannot be computed with it */
function readBlobs({ target, max, baseFeeUpdateFraction }: Members): object {
  const hasIntegers = toInteger(target) !== undefined && toInteger(max) !== undefined;
  if (hasIntegers && (toInteger(baseFeeUpdateFraction) ?? 0n) > 0n)
    return { target, max, baseFeeUpdateFraction };
  throw new RangeError('no schedule of blobs');
}

function hasPrecompiles(fork: (typeof FORKS)[number], addresses: readonly bigint[]): boolean {
  const { precompiles } = rulesOf(fork);
  return precompiles.size === addresses.length && addresses.every((one) => precompiles.has(Number(one)));
}

/** Whether calls have the same outcomes by both. */
function areSame(one: BlockRules, other: BlockRules): boolean {
  const describe = ({ revision, blobs }: BlockRules): string =>
    [revision.name, blobs?.target, blobs?.max, blobs?.baseFeeUpdateFraction].join();
  return describe(one) === describe(other);
}

/** @throws RangeError where it is no address */
function readAddress(value: unknown): bigint {
  if (typeof value === 'string' && ADDRESS.test(value)) return BigInt(value);
  throw new RangeError('no address');
}

function toInteger(value: unknown): bigint | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined;
}
