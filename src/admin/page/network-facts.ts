import type { NetworkStatus } from '../../observe/status.ts';
import type { ServiceProblem } from '../../observe/verdict.ts';
import { countOf } from '../../util/count-of.ts';
import {
  formatCount,
  formatDate,
  formatMs,
  formatRate,
  formatSpan,
  NOTHING,
  shortenMiddle,
} from './format.ts';
import type { Cell } from './table.ts';

/** Age of a block, ms, above which its date is displayed instead of its age. */
const OLD_MS = 86_400_000;
/** A head that no node has confirmed for this time is displayed as unconfirmed, ms. Nodes are polled at least every two seconds. */
const UNCONFIRMED_MS = 5_000;
/** Maximum number of verified subjects that a card names. */
const MAX_SUBJECTS = 6;

/** Status of a network, the time of that status (Unix ms), and the problems of the network in the verdict. */
export type NetworkView = {
  readonly network: NetworkStatus;
  readonly at: number;
  readonly problems: readonly ServiceProblem[];
};

/** Facts of a network in the order of display. A fact that does not apply to the network is undefined. */
export function describeFacts({
  network,
  at,
  problems,
}: NetworkView): Readonly<Record<string, Cell | undefined>> {
  return {
    Chain: describeChain(network),
    Head: describeHead(network),
    'Head age': describeAge(network, at, problems),
    Finality: describeFinality(network),
    Calls: describeCalls(network),
    Latency: describeLatency(network),
    Subscriptions: describeSubscriptions(network),
    Agreement: describeAgreement(network),
    Verified: describeVerified(network),
    'Layer 1': describeAnchor(network),
    Trust: describeTrust(network),
    Executed: describeExecution(network),
  };
}

/** Describes in few words whether the network answers. The reasons are on another line of the card. */
export function describeNetworkState({ network, problems }: NetworkView): Cell {
  const { source, upstreams, head } = network;
  if (problems.some(({ kind }) => kind === 'outage')) return { text: '✕ cannot answer', tone: 'bad' };
  if (problems.length > 0) return { text: '▲ answers, with warnings', tone: 'warn' };
  if (source === 'embedded')
    return head === undefined ? { text: '○ no block yet', tone: 'quiet' } : { text: '● answers', tone: 'ok' };
  const up = upstreams.filter(({ state }) => state === 'up').length;
  if (upstreams.length === 0) return { text: '○ nodes unknown', tone: 'quiet' };
  if (up === upstreams.length) return { text: up === 1 ? '● node up' : `● all ${up} nodes up`, tone: 'ok' };
  return { text: `▲ ${up} of ${countOf(upstreams.length, 'node')} up`, tone: 'warn' };
}

function describeChain({ chainId, family, source }: NetworkStatus): Cell {
  const kind = source === 'embedded' ? 'executed here' : 'from nodes';
  const name = family === undefined ? [] : [family === 'rollup' ? 'a rollup' : `${family} rollup`];
  return {
    text: [chainId === undefined ? 'id not known yet' : `id ${chainId}`, name, kind].flat().join(', '),
  };
}

function describeHead({ head, unconfirmed = 0, isExpired, source }: NetworkStatus): Cell {
  if (head === undefined)
    return { text: source === 'embedded' ? 'no block yet' : 'none yet: no node has reported a block' };
  const block = `${formatCount(head.number)}  ${shortenMiddle(head.hash)}`;
  if (unconfirmed < UNCONFIRMED_MS) return { text: block };
  const served = isExpired === true ? 'not served: ' : '';
  return { text: `${block}, ${served}no node has had it for ${formatSpan(unconfirmed)}`, tone: 'warn' };
}

function describeAge(
  { head }: NetworkStatus,
  at: number,
  problems: readonly ServiceProblem[],
): Cell | undefined {
  if (head === undefined) return undefined;
  const age = at - head.timestamp;
  const text = age > OLD_MS ? `since ${formatDate(head.timestamp)}` : `${formatSpan(age)} ago`;
  const late = problems.find(({ kind }) => kind === 'lateHead');
  return late === undefined ? { text } : { text: `▲ ${text}: late`, tone: 'warn', title: late.reason };
}

/** Describes the safe and finalized blocks; on a rollup they show how late its batches are. Undefined for an embedded chain. */
function describeFinality({ head, safe, finalized, source }: NetworkStatus): Cell | undefined {
  if (source === 'embedded' || head === undefined) return undefined;
  const behind = ([name, number]: readonly [string, number | undefined]): string =>
    number === undefined ? `${name} unknown` : `${name} ${formatCount(head.number - number)} behind`;
  return { text: [['safe', safe] as const, ['finalized', finalized] as const].map(behind).join(', ') };
}

function describeCalls({ traffic: { callsPerSecond, errorsPerSecond } }: NetworkStatus): Cell {
  if (callsPerSecond === 0) return { text: 'none in the last 10 s' };
  return { text: `${formatRate(callsPerSecond)}/s, ${formatRate(errorsPerSecond)}/s failed` };
}

function describeLatency({ traffic: { p50, p99 } }: NetworkStatus): Cell {
  if (p50 === undefined) return { text: NOTHING, title: 'no calls in the last 10 s' };
  return { text: `${formatMs(p50)} median, ${formatMs(p99)} p99` };
}

function describeSubscriptions({ subscriptions: { open, sent, lag } }: NetworkStatus): Cell {
  if (open === 0 && sent === 0) return { text: 'none' };
  const behind = lag === undefined ? '' : `, ${formatMs(lag)} behind the head`;
  return { text: `${formatCount(open)} open, ${formatCount(sent)} sent${behind}` };
}

/** Describes how many node operators have the newest block, and warns if fewer agree than the configuration requires. */
function describeAgreement({ agreement }: NetworkStatus): Cell | undefined {
  if (agreement === undefined) return undefined;
  const { needed, operators, voices, isDemanded, isMissing } = agreement;
  const counts = `${voices} of ${countOf(operators, 'operator')}, ${needed} needed`;
  if (!isMissing) return { text: counts };
  const effect = isDemanded ? 'answers about new blocks are refused' : "answers are one node's word";
  return { text: `${counts}: ${effect}`, tone: 'warn' };
}

/** Describes which answers of nodes are verified. Before recent blocks have been examined, none are. */
function describeVerified({ source, verification }: NetworkStatus): Cell {
  if (source === 'embedded') return { text: 'executed here' };
  if (verification === undefined) return { text: 'no: verification is off' };
  const { isCalibrated, verified, untested, unverifiable } = verification;
  if (!isCalibrated) return { text: 'nothing yet: no recent block has been examined' };
  const rest = verified.length - MAX_SUBJECTS;
  const named = [...verified.slice(0, MAX_SUBJECTS), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  const parts = [
    named === '' ? 'nothing' : named,
    ...(untested.length === 0 ? [] : [`not seen yet: ${untested.join(', ')}`]),
    ...(unverifiable.length === 0 ? [] : [`not verifiable: ${unverifiable.join('; ')}`]),
  ];
  return { text: parts.join('; '), title: verified.join(', ') };
}

/** Describes the newest rollup block that layer 1 commits to. */
function describeAnchor({ anchor }: NetworkStatus): Cell | undefined {
  if (anchor === undefined) return undefined;
  const { state, number, reason } = anchor;
  const why = reason === undefined ? '' : `: ${reason}`;
  if (state === 'contradicted') return { text: `contradicts the nodes${why}`, tone: 'bad' };
  if (number === undefined) return { text: `no block anchored${why}` };
  return { text: `anchored up to block ${formatCount(number)}${why === '' ? '' : `, no newer block${why}`}` };
}

/** Counts answers by the values of the header X-Portcullis-Trust. */
function describeTrust({ verification }: NetworkStatus): Cell | undefined {
  if (verification === undefined) return undefined;
  const { proven, agreed, single } = verification.trust;
  if (proven + agreed + single === 0) return { text: 'no answers about blocks or state yet' };
  return {
    text: `${formatCount(proven)} proven, ${formatCount(agreed)} agreed, ${formatCount(single)} single`,
    title:
      'answers since the start. proven: verified; agreed: compared with a block that two nodes have; single: unverified, from one node',
  };
}

/** Describes whether calls are executed in this process or by nodes. */
function describeExecution({ source, execution }: NetworkStatus): Cell | undefined {
  if (source === 'embedded') return undefined;
  if (execution === undefined) return { text: 'by nodes' };
  const { state, reason } = execution;
  if (state === 'local')
    return { text: reason === undefined ? 'here, on state that nodes prove' : `not now: ${reason}` };
  if (state === 'comparing') return { text: 'by nodes, compared with the execution here' };
  return { text: reason === undefined ? 'by nodes' : `by nodes: ${reason}` };
}
