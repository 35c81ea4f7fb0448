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

/**
 * Forks by time that change execution, oldest first. Forks that change only blob parameters are absent, because nodes report the blob parameters
 * separately.
 */
const FORKS = ['shanghai', 'cancun', 'prague', 'osaka', 'amsterdam'] as const satisfies readonly ForkName[];
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const NEVER = 2n ** 63n;

/**
 * Rules that nodes report for the timestamps `since` to `until` (exclusive), seconds. If several configurations match the report, the fields of a
 * block's header select one.
 */
type ToldRules = {
  readonly configs: readonly ChainConfig[];
  readonly since: bigint;
  readonly until: bigint;
  /** Key for comparing reports: equal for answers with the same contents. */
  readonly name: string;
};

/**
 * Rules of a block, and the reason why these rules may be wrong, as a clause for an error text. The reason is undefined if the rules are configured,
 * come from the table of public chains, or are reported by enough nodes.
 */
export type FoundRules = { readonly config: ChainConfig; readonly whyUnverifiable: string | undefined };

const REPORTED_BY_ONE =
  'only one node reports the rules of the chain (eth_config): name a genesis file in `chain`';

/**
 * Fork rules of a chain, from three sources. Rules in the configuration of the network have priority. Without configured rules, the rules that nodes
 * report (EIP-7910) apply, unless the table of public chains has a later fork. Last is that table.
 */
export class ForkRules {
  readonly #needed: number;
  readonly #chainId: bigint;
  readonly #configured: ChainConfig | undefined;
  readonly #known: ChainConfig | undefined;
  #told: ToldRules | undefined;
  #isAgreed = false;

  /** @param needed required number of matching reports: two, or the number of operators that the agreement option requires */
  constructor(chainId: bigint, configured: ChainConfig | undefined, needed = 2) {
    this.#needed = needed;
    this.#chainId = chainId;
    this.#configured = configured;
    this.#known = findKnownChain(chainId);
  }

  /** Returns whether the required number of nodes have reported the same rules. */
  get isAgreed(): boolean {
    return this.#isAgreed;
  }

  /** Returns whether the rules for a block's timestamp (seconds) must be requested from nodes. */
  needsTelling(timestamp: bigint): boolean {
    if (this.#configured !== undefined) return false;
    return !this.#isAgreed || this.#told === undefined || timestamp >= this.#told.until;
  }

  /**
   * Evaluates nodes' answers to `eth_config`. Malformed answers are ignored. If answers contradict one another, the rules are unknown, unless the
   * required number of answers match.
   * @returns whether the required number of answers match
   */
  note(answers: readonly unknown[]): boolean {
    const { told, agreed } = this.#readAll(answers);
    if (told.length === 0) return false;
    this.#isAgreed = agreed !== undefined;
    this.#told = agreed ?? (told.every(({ name }) => name === told[0]?.name) ? told[0] : undefined);
    return this.#isAgreed;
  }

  /**
   * Checks with nodes' answers whether agreed rules have changed. The agreed rules remain valid until enough nodes agree on other rules. If only some
   * nodes report other rules, the agreed rules are valid at most until the next fork that such a node reports.
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

  /** Returns all well-formed reports, and the report that enough nodes agree on, if there is one. */
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

  /** Returns the rules of a block; undefined if no known rules match the fields of its header. */
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
    // A chain configuration has no blob parameters for Amsterdam, so the reported ones are set for Osaka: Amsterdam inherits these.
    const scheduled = fork === 'amsterdam' ? 'osaka' : fork;
    return parseChainConfig({
      ...listForkMembers(fork),
      terminalTotalDifficulty: 0,
      chainId: `${this.#chainId}`,
      ...(isMembers(blobs) && { blobSchedule: { [scheduled]: readBlobs(blobs) } }),
    });
  }
}

/** Returns the index in `FORKS` of the latest fork that is active at a timestamp; -1 if there is none. */
function indexOfFork({ timeForks }: ChainConfig, timestamp: bigint): number {
  return FORKS.findLastIndex((name) =>
    timeForks.some(({ fork, time }) => fork === name && time <= timestamp),
  );
}

/** Reads the blob parameters of a report. @throws RangeError if the blob parameters do not suffice to compute a blob price */
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

/** Returns whether two sets of rules have the same revision and the same blob parameters, so that calls have the same outcomes. */
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
