import { countOf } from '../util/count-of.ts';
import type { NetworkStatus, ProcessStatus } from './status.ts';

/**
 * `impaired`: every network answers, with warnings. `failing`: at least one network cannot answer. `draining`: all processes of the service are
 * stopping, so that no new requests should be sent.
 */
export type VerdictState = 'healthy' | 'impaired' | 'failing' | 'draining';

/** Reason why a service is not healthy. */
export type ServiceProblem = {
  readonly kind: 'outage' | 'partialOutage' | 'lateHead' | 'agreement' | 'anchor' | 'store' | 'draining';
  /** Absent if the problem concerns no particular network. */
  readonly network?: string;
  /** Clause without a full stop, such as `the only node does not answer`. */
  readonly reason: string;
};

/** Health of the whole service. */
export type ServiceVerdict = {
  readonly state: VerdictState;
  /** Sentence without a full stop. It names the networks with problems, and contains no figure that changes every second. */
  readonly summary: string;
  /** Problems in the order of the networks, outages before all others. */
  readonly problems: readonly ServiceProblem[];
};

/** Facts that a verdict depends on. */
export type VerdictFacts = {
  /** Unix ms. */
  readonly at: number;
  readonly processes: readonly Pick<ProcessStatus, 'isDraining' | 'isStoreAway'>[];
  readonly networks: readonly (Pick<
    NetworkStatus,
    'name' | 'outage' | 'partialOutage' | 'head' | 'blockTime' | 'agreement' | 'anchor' | 'isDevelopment'
  > &
    Partial<Pick<NetworkStatus, 'source'>>)[];
};

/** A head is late if it is older than this number of block times, and older than the minimum age (ms). */
const LATE_BLOCKS = 10;
const MIN_LATE_MS = 60_000;
/** A head of nodes is also late from this age on (ms) while no time between blocks is known, as after a start during an outage. */
const UNKNOWN_LATE_MS = 600_000;
const STORE_AWAY: ServiceProblem = {
  kind: 'store',
  reason:
    'the server of access.valkey does not answer: keys that were used lately are still accepted, other keys are refused, and each process applies its share of the limits',
};
/** Maximum number of networks that a summary names. */
const MAX_NAMES = 3;

/**
 * Computes the health of a service. A network cannot answer if it has an `outage`, as for `/health/ready`; a late head is a warning only, because
 * calls are still answered. While the block time of a network of nodes is unknown, a head is late from ten minutes on. Heads of embedded chains and of development nodes, which
 * make blocks on demand, are late only after a known block time.
 */
export function computeVerdict({ at, processes, networks }: VerdictFacts): ServiceVerdict {
  const found = networks.flatMap((network) => findProblems(network, at));
  const draining = processes.filter(({ isDraining }) => isDraining).length;
  const isDraining = draining > 0 && draining === processes.length;
  const outages = found.filter(({ kind }) => kind === 'outage');
  const warnings = found.filter(({ kind }) => kind !== 'outage');
  if (draining > 0 && !isDraining) {
    const reason = `${draining} of ${countOf(processes.length, 'process', 'processes')} ${draining === 1 ? 'is' : 'are'} draining`;
    warnings.push({ kind: 'draining', reason });
  }
  if (processes.some(({ isStoreAway }) => isStoreAway)) warnings.push(STORE_AWAY);
  const problems = [...outages, ...warnings];
  const names = networks.map(({ name }) => name);
  if (isDraining) return { state: 'draining', summary: 'The service is draining', problems };
  if (outages.length > 0) return { state: 'failing', summary: describeOutages(names, outages), problems };
  const answering = describeAnswering(names);
  if (warnings.length === 0) return { state: 'healthy', summary: answering, problems };
  const named = listNames(warnings);
  const summary = `${answering}, with warnings${named === '' || names.length === 1 ? '' : `: ${named}`}`;
  return { state: 'impaired', summary, problems };
}

function findProblems(
  {
    name: network,
    outage,
    partialOutage,
    head,
    blockTime,
    agreement,
    anchor,
    source,
    isDevelopment,
  }: VerdictFacts['networks'][number],
  at: number,
): ServiceProblem[] {
  if (outage !== undefined) return [{ kind: 'outage', network, reason: outage }];
  const problems: ServiceProblem[] = [];
  if (partialOutage !== undefined) {
    const { processes, total, reason } = partialOutage;
    const which = `${processes} of ${countOf(total, 'process', 'processes')} cannot answer`;
    problems.push({ kind: 'partialOutage', network, reason: `${which}: ${reason}` });
  }
  const age = head === undefined ? 0 : at - head.timestamp;
  if (blockTime !== undefined && age > Math.max(MIN_LATE_MS, LATE_BLOCKS * blockTime)) {
    const usual = `a block usually takes ${formatBlockTime(blockTime)}`;
    problems.push({ kind: 'lateHead', network, reason: `the head is ${formatAge(age)} old, ${usual}` });
  }
  if (blockTime === undefined && source === 'upstream' && isDevelopment !== true && age > UNKNOWN_LATE_MS) {
    const reason = `the newest block is ${formatAge(age)} old: the chain has stopped, or its nodes are far behind`;
    problems.push({ kind: 'lateHead', network, reason });
  }
  if (agreement?.isMissing === true) {
    const { voices, needed, isDemanded } = agreement;
    const effect = isDemanded ? 'answers about new blocks are refused' : 'answers are the word of one node';
    const reason = `${voices} of ${needed} needed operators have the newest block, so ${effect}`;
    problems.push({ kind: 'agreement', network, reason });
  }
  if (anchor?.state === 'contradicted')
    problems.push({ kind: 'anchor', network, reason: 'no node has the block that layer 1 commits to' });
  return problems;
}

function describeOutages(names: readonly string[], outages: readonly ServiceProblem[]): string {
  const total = names.length;
  if (total === 1) return `Network ${names[0]} cannot answer`;
  const count =
    outages.length === total
      ? `None of the ${total} networks can`
      : `${outages.length} of ${countOf(total, 'network')} cannot`;
  return `${count} answer: ${listNames(outages)}`;
}

function describeAnswering(names: readonly string[]): string {
  if (names.length === 1) return `Network ${names[0]} answers`;
  return names.length === 2 ? 'Both networks answer' : `All ${names.length} networks answer`;
}

/** Lists each network once. */
function listNames(problems: readonly ServiceProblem[]): string {
  const names = [...new Set(problems.flatMap(({ network }) => network ?? []))];
  const rest = names.length - MAX_NAMES;
  return [...names.slice(0, MAX_NAMES), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

/** Formats an age of at least a minute, in whole units. */
function formatAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 120) return countOf(minutes, 'minute');
  return minutes < 2_880
    ? countOf(Math.floor(minutes / 60), 'hour')
    : countOf(Math.floor(minutes / 1_440), 'day');
}

function formatBlockTime(ms: number): string {
  return ms < 1_000 ? 'less than a second' : `${Math.round(ms / 1_000)} s`;
}
