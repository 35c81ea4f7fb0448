import type { NetworkStatus, TrafficSample, UpstreamStatus } from '../../observe/status.ts';
import { element, setAttribute, setText } from './dom.ts';
import {
  formatCount,
  formatDate,
  formatMs,
  formatRate,
  formatShare,
  formatSpan,
  NOTHING,
  shortenMiddle,
} from './format.ts';
import type { Part } from './keyed-list.ts';
import { Sparkline } from './sparkline.ts';
import { type Cell, Table } from './table.ts';

/** Maximum number of traffic samples that a card stores for its chart. */
const MAX_SAMPLES = 120;
const SHORTEST_CHART_MS = 30_000;
/** Age of a block, ms, above which its date is displayed instead of its age. A chain whose head is older than a day has stalled. */
const OLD_MS = 86_400_000;

/** Status of a network, and the time of that status, Unix ms. */
export type NetworkView = { readonly network: NetworkStatus; readonly at: number };

const FACTS = [
  'Chain',
  'Head',
  'Block time',
  'Calls',
  'Latency',
  'Subscriptions',
  'Agreement',
  'Verified',
  'Executed',
] as const;

/** Card of one network: state, facts, a chart of its calls, and its nodes. */
export class NetworkCard implements Part<NetworkView> {
  readonly root: HTMLElement;
  readonly #name: HTMLElement = element('h3');
  readonly #state: HTMLElement = element('span', { class: 'pill' });
  readonly #hosts: HTMLElement = element('p', { class: 'hosts' });
  readonly #facts: ReadonlyMap<string, HTMLElement> = new Map(FACTS.map((name) => [name, element('dd')]));
  readonly #chart: Sparkline = new Sparkline();
  readonly #upstreams: Table<UpstreamStatus> = createUpstreamTable();
  readonly #samples: TrafficSample[] = [];

  constructor() {
    const facts = element('dl', { class: 'facts' });
    for (const [name, node] of this.#facts) facts.append(element('div', {}, element('dt', {}, name), node));
    this.root = element('article', { class: 'card' });
    const head = element('header', {}, this.#name, this.#state);
    this.root.append(element('div', {}, head, this.#hosts, facts, this.#chart.root), this.#upstreams.root);
  }

  update({ network, at }: NetworkView): void {
    setText(this.#name, network.name);
    const { text, tone = 'quiet' } = describeState(network);
    setText(this.#state, text);
    setAttribute(this.#state, 'class', `pill ${tone}`);
    setText(this.#hosts, network.hosts.join('  '));
    this.#setFact('Chain', describeChain(network));
    const { head, traffic } = network;
    this.#setFact('Head', describeHead(network));
    this.#setFact(
      'Block time',
      head === undefined ? NOTHING : describeAge(at - head.timestamp, head.timestamp),
    );
    const calls = `${formatRate(traffic.callsPerSecond)}/s, ${formatRate(traffic.errorsPerSecond)}/s failed`;
    this.#setFact('Calls', calls);
    this.#setFact(
      'Latency',
      traffic.p50 === undefined ? NOTHING : `${formatMs(traffic.p50)} median, ${formatMs(traffic.p99)} p99`,
    );
    this.#setFact('Subscriptions', describeSubscriptions(network));
    this.#setFact('Agreement', describeAgreement(network));
    this.#setFact('Verified', `${describeVerified(network)}${describeAnchor(network)}`);
    this.#setFact('Executed', describeExecution(network));
    this.#draw(traffic, at, calls);
    this.#upstreams.update(network.upstreams);
    this.#upstreams.root.hidden = network.source === 'embedded';
    setAttribute(this.root, 'class', network.source === 'embedded' ? 'card' : 'card wide');
  }

  #setFact(name: (typeof FACTS)[number], text: string): void {
    const node = this.#facts.get(name);
    if (node !== undefined) setText(node, text);
  }

  #draw(traffic: TrafficSample, at: number, calls: string): void {
    this.#samples.push({ ...traffic, at });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
    this.#chart.update({
      from: Math.min(this.#samples[0]?.at ?? at, at - SHORTEST_CHART_MS),
      to: at,
      lines: [this.#samples.map((sample) => ({ at: sample.at, value: sample.callsPerSecond }))],
      label: `Calls per second in the last two minutes, since this page was opened: now ${calls}`,
    });
  }
}

/** A head that no node has confirmed for this time is displayed as unconfirmed, ms. Nodes are polled at least every two seconds. */
const UNCONFIRMED_MS = 5_000;

function describeHead({ head, unconfirmed = 0, isExpired }: NetworkStatus): string {
  if (head === undefined) return NOTHING;
  const block = `${formatCount(head.number)}  ${shortenMiddle(head.hash)}`;
  if (unconfirmed < UNCONFIRMED_MS) return block;
  return `${block}, ${isExpired === true ? 'not served: ' : ''}no node has had it for ${formatSpan(unconfirmed)}`;
}

function describeSubscriptions({ subscriptions: { open, sent, lag } }: NetworkStatus): string {
  if (open === 0 && sent === 0) return NOTHING;
  const behind = lag === undefined ? '' : `, ${formatMs(lag)} behind the head`;
  return `${formatCount(open)} open, ${formatCount(sent)} sent${behind}`;
}

/** Describes how many node operators have the newest block, and warns if fewer agree than the configuration requires. */
function describeAgreement({ agreement }: NetworkStatus): string {
  if (agreement === undefined) return NOTHING;
  const { needed, operators, voices, isDemanded, isMissing } = agreement;
  const counts = `${voices} of ${operators} operators, ${needed} needed`;
  if (!isMissing) return counts;
  return `${counts}: ${isDemanded ? 'answers about new blocks are refused' : "answers are one node's word"}`;
}

/** Describes which answers of the nodes are verified. */
function describeVerified({ source, unverifiable }: NetworkStatus): string {
  if (source === 'embedded') return 'executed here';
  if (unverifiable === undefined) return 'no, compared only';
  return unverifiable.length === 0 ? 'all that blocks commit to' : `all but ${unverifiable.join('; ')}`;
}

/** Describes the newest rollup block that layer 1 commits to. */
function describeAnchor({ anchor }: NetworkStatus): string {
  if (anchor === undefined) return '';
  const { state, number, reason } = anchor;
  const why = reason === undefined ? '' : `: ${reason}`;
  if (state === 'contradicted') return `; contradicts layer 1${why}`;
  if (number === undefined) return `; not anchored in layer 1${why}`;
  return `; anchored in layer 1 up to block ${formatCount(number)}${reason === undefined ? '' : `, no newer block${why}`}`;
}

/** Describes whether calls are executed in this process or by nodes. */
function describeExecution({ source, execution }: NetworkStatus): string {
  if (source === 'embedded') return 'here';
  if (execution === undefined) return 'by nodes';
  if (execution.state === 'local')
    return execution.reason === undefined
      ? 'here, on state that nodes prove'
      : `not now: ${execution.reason}`;
  if (execution.state === 'comparing') return 'by nodes, compared with the execution here';
  return `by nodes: ${execution.reason ?? NOTHING}`;
}

function describeState({ source, upstreams, head, outage, agreement }: NetworkStatus): Cell {
  if (outage !== undefined) return { text: `down: ${outage}`, tone: 'bad' };
  if (source === 'embedded')
    return head === undefined ? { text: 'embedded' } : { text: 'serving', tone: 'ok' };
  const up = upstreams.filter(({ state }) => state === 'up').length;
  if (upstreams.length === 0) return { text: 'nodes unknown' };
  if (agreement?.isMissing === true) return { text: 'too few operators agree', tone: 'bad' };
  if (up === upstreams.length) return { text: up === 1 ? 'node up' : `all ${up} nodes up`, tone: 'ok' };
  if (up === 0) return { text: 'no node up', tone: 'bad' };
  return { text: `${up} of ${upstreams.length} nodes up`, tone: 'warn' };
}

function describeChain({ chainId, family, source }: NetworkStatus): string {
  const kind = source === 'embedded' ? 'executed here' : 'from nodes';
  const name = family === undefined ? [] : [family === 'rollup' ? 'a rollup' : `${family} rollup`];
  return [chainId === undefined ? [] : `id ${chainId}`, name, kind].flat().join(', ');
}

function describeAge(age: number, timestamp: number): string {
  return age > OLD_MS ? formatDate(timestamp) : `${formatSpan(age)} ago`;
}

const STATES: Readonly<Record<UpstreamStatus['state'], Cell>> = {
  up: { text: '● up', tone: 'ok' },
  lagging: { text: '▲ lagging', tone: 'warn' },
  down: { text: '✕ down', tone: 'bad' },
  excluded: { text: '○ excluded', tone: 'bad' },
};

function createUpstreamTable(): Table<UpstreamStatus> {
  return new Table<UpstreamStatus>({
    caption: 'Nodes',
    keyOf: ({ name }, position) => `${position} ${name}`,
    empty: 'No node has reported yet.',
    columns: [
      { label: 'Node', kind: 'code', cell: ({ name }) => name },
      { label: 'State', cell: describeUpstream },
      { label: 'Lag', kind: 'number', cell: ({ lag, head }) => describeLag(lag, head) },
      { label: 'Latency', kind: 'number', cell: ({ latency }) => formatMs(latency) },
      {
        label: 'Failures',
        kind: 'number',
        cell: ({ errorRate }) => ({
          text: formatShare(errorRate),
          ...(errorRate !== undefined && errorRate >= 0.05 && { tone: 'bad' as const }),
        }),
      },
    ],
  });
}

function describeUpstream({ state, reason }: UpstreamStatus): Cell {
  const { text, ...rest } = STATES[state] ?? { text: state };
  return { ...rest, text: reason === undefined ? text : `${text}: ${reason}` };
}

function describeLag(lag: number | undefined, head: number | undefined): Cell {
  const title = head === undefined ? {} : { title: `head ${formatCount(head)}` };
  return { text: lag === undefined ? NOTHING : lag <= 0 ? 'none' : `${formatCount(lag)}`, ...title };
}
