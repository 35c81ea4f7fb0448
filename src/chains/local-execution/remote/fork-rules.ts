import {
  type ChainConfig,
  type ForkName,
  listForkMembers,
  parseChainConfig,
} from '../../../../packages/ethereum/codecs/chain-config.ts';
import { type Header, hasFieldsOf } from '../../../../packages/ethereum/codecs/header.ts';
import { minBigInt } from '../../../../packages/ethereum/primitives/bigint.ts';
import { rulesOf } from '../../../../packages/evm/interpreter/revisions/revisions.ts';
import { type BlockRules, rulesOfHeader } from '../../../../packages/evm/transition/rules.ts';
import type { Members } from '../../../../packages/proofs/findings.ts';
import { isMembers } from '../../../../packages/proofs/members.ts';
import { findKnownChain, hasOwnContracts } from './known-chains.ts';

/** Forks by time that change execution, oldest first. Forks that change only blobs are part of the blob schedule that a node reports. */
const FORKS = ['shanghai', 'cancun', 'prague', 'osaka', 'amsterdam'] as const satisfies readonly ForkName[];
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const NEVER = 2n ** 63n;

/**
 * Rules that nodes report for blocks from one time to another, seconds. If several configurations are possible, a block's header decides between
 * them.
 */
type ToldRules = {
  readonly configs: readonly ChainConfig[];
  readonly since: bigint;
  readonly until: bigint;
  /** Key of the rules, which is equal for answers with the same contents. */
  readonly name: string;
};

/** Rules of a block, and the reason why they may be wrong, as the rest of a sentence; undefined if the rules are confirmed by more than one node. */
export type FoundRules = { readonly config: ChainConfig; readonly whyUnverifiable: string | undefined };

const REPORTED_BY_ONE =
  'only one node reports the rules of the chain (eth_config): name a genesis file in `chain`';

/**
 * Rules of a chain. The configured rules have priority. Otherwise the rules are used that nodes report for the present (EIP-7910), unless the table
 * of public chains has a later fork. Otherwise the rules in that table are used.
 */
export class ForkRules {
  readonly #needed: number;
  readonly #chainId: bigint;
  readonly #configured: ChainConfig | undefined;
  readonly #known: ChainConfig | undefined;
  #told: ToldRules | undefined;
  #isAgreed = false;

  /** @param needed required number of matching reports: two nodes, or as many operators as agreement requires */
  constructor(chainId: bigint, configured: ChainConfig | undefined, needed = 2) {
    this.#needed = needed;
    this.#chainId = chainId;
    this.#configured = configured;
    this.#known = findKnownChain(chainId);
  }

  /** Returns whether the required number of reports match. */
  get isAgreed(): boolean {
    return this.#isAgreed;
  }

  /** Returns whether the rules for a time in seconds must be requested from nodes. */
  needsTelling(timestamp: bigint): boolean {
    if (this.#configured !== undefined) return false;
    return !this.#isAgreed || this.#told === undefined || timestamp >= this.#told.until;
  }

  /**
   * Adds answers of nodes to `eth_config`. An answer with another form is ignored. If answers contradict each other, the rules are unknown, unless
   * the required number match.
   * @returns whether the required number match
   */
  note(answers: readonly unknown[]): boolean {
    const { told, agreed } = this.#readAll(answers);
    if (told.length === 0) return false;
    this.#isAgreed = agreed !== undefined;
    this.#told = agreed ?? (told.every(({ name }) => name === told[0]?.name) ? told[0] : undefined);
    return this.#isAgreed;
  }

  /**
   * Adds answers of nodes to the check whether agreed rules have changed. The rules remain valid until the required number of nodes agree on other
   * rules, but no longer than until the next fork that one of them reports.
   * @returns undefined if the answers are inconclusive so far
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

  /** Returns the readable reports, and the report that the required number match. */
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

  /** Returns the rules of a block; undefined if they are unknown, or if its header does not match them. */
  find(header: Header): FoundRules | undefined {
    const [config, ...others] = this.#candidates(header).filter((each) =>
      hasFieldsOf(rulesOfHeader(each, header).revision, header),
    );
    if (config === undefined) return undefined;
    const isReported = this.#told?.configs.includes(config) === true;
    const known = others.find((other) => other === this.#known);
    const isKnown =
      known !== undefined && areSame(rulesOfHeader(known, header), rulesOfHeader(config, header));
    return {
      config,
      whyUnverifiable: isReported && !this.#isAgreed && !isKnown ? this.#whyReported : undefined,
    };
  }

  get #whyReported(): string {
    if (this.#needed <= 2) return REPORTED_BY_ONE;
    return `fewer than the ${this.#needed} operators that agreement demands report the rules of the chain (eth_config): name a genesis file in \`chain\``;
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
    // Amsterdam uses the blob schedule of the previous fork.
    const scheduled = fork === 'amsterdam' ? 'osaka' : fork;
    return parseChainConfig({
      ...listForkMembers(fork),
      terminalTotalDifficulty: 0,
      chainId: `${this.#chainId}`,
      ...(isMembers(blobs) && { blobSchedule: { [scheduled]: readBlobs(blobs) } }),
    });
  }
}

/** Returns the index in `FORKS` of the latest fork that is active at a time; below 0 if there is none. */
function indexOfFork({ timeForks }: ChainConfig, timestamp: bigint): number {
  return FORKS.findLastIndex((name) =>
    timeForks.some(({ fork, time }) => fork === name && time <= timestamp),
  );
}

/** @throws RangeError if the schedule cannot determine a blob price */
function readBlobs({ target, max, baseFeeUpdateFraction }: Members): object {
  const hasIntegers = toInteger(target) !== undefined && toInteger(max) !== undefined;
  if (hasIntegers && (toInteger(baseFeeUpdateFraction) ?? 0n) > 0n)
    return { target, max, baseFeeUpdateFraction };
  throw new RangeError('the blob schedule is incomplete');
}

function hasPrecompiles(fork: (typeof FORKS)[number], addresses: readonly bigint[]): boolean {
  const { precompiles } = rulesOf(fork);
  return precompiles.size === addresses.length && addresses.every((one) => precompiles.has(Number(one)));
}

/** Returns whether calls have the same outcomes under both rules. */
function areSame(one: BlockRules, other: BlockRules): boolean {
  const describe = ({ revision, blobs }: BlockRules): string =>
    [revision.name, blobs?.target, blobs?.max, blobs?.baseFeeUpdateFraction].join();
  return describe(one) === describe(other);
}

/** @throws RangeError if the value is not an address */
function readAddress(value: unknown): bigint {
  if (typeof value === 'string' && ADDRESS.test(value)) return BigInt(value);
  throw new RangeError('no address');
}

function toInteger(value: unknown): bigint | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined;
}
