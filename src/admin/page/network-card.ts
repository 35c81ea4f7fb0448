import type { TrafficSample } from '../../observe/status.ts';
import { element, setAttribute, setText } from './dom.ts';
import { formatRate } from './format.ts';
import type { Part } from './keyed-list.ts';
import { describeFacts, describeNetworkState, type NetworkView } from './network-facts.ts';
import { createNodeTable } from './node-table.ts';
import { Sparkline } from './sparkline.ts';
import type { Cell } from './table.ts';

/** Maximum number of traffic samples that a card stores for its chart. */
const MAX_SAMPLES = 120;
const SHORTEST_CHART_MS = 30_000;

/** Card of one network: state, problems, facts, a chart of its calls, and its nodes. */
export class NetworkCard implements Part<NetworkView> {
  readonly root: HTMLElement = element('article', { class: 'card' });
  readonly #name: HTMLElement = element('h3');
  readonly #state: HTMLElement = element('span', { class: 'pill' });
  readonly #problems: HTMLElement = element('p', { class: 'warnings' });
  readonly #hosts: HTMLElement = element('p', { class: 'hosts' });
  readonly #list: HTMLElement = element('dl', { class: 'facts' });
  readonly #facts = new Map<string, Fact>();
  readonly #chart: Sparkline = new Sparkline();
  readonly #nodes = createNodeTable();
  readonly #samples: TrafficSample[] = [];

  constructor() {
    const head = element('header', {}, this.#name, this.#state);
    const facts = element('div', {}, head, this.#problems, this.#hosts, this.#list, this.#chart.root);
    this.root.append(facts, this.#nodes.root);
  }

  update(view: NetworkView): void {
    const { network, at, problems } = view;
    setAttribute(this.root, 'id', `network-${network.name}`);
    setText(this.#name, network.name);
    const { text, tone = 'quiet' } = describeNetworkState(view);
    setText(this.#state, text);
    setAttribute(this.#state, 'class', `pill ${tone}`);
    setText(this.#problems, problems.map(({ reason }) => reason).join('; '));
    setAttribute(this.#problems, 'class', `warnings ${tone}`);
    this.#problems.hidden = problems.length === 0;
    setText(this.#hosts, network.hosts.join('  '));
    for (const [name, fact] of Object.entries(describeFacts(view))) this.#findFact(name).update(fact);
    this.#draw(network.traffic, at);
    this.#nodes.update(network.upstreams);
    this.#nodes.root.hidden = network.source === 'embedded';
    setAttribute(this.root, 'class', network.source === 'embedded' ? 'card' : 'card wide');
  }

  #findFact(name: string): Fact {
    const known = this.#facts.get(name);
    if (known !== undefined) return known;
    const fact = new Fact(name);
    this.#facts.set(name, fact);
    this.#list.append(fact.root);
    return fact;
  }

  #draw(traffic: TrafficSample, at: number): void {
    this.#samples.push({ ...traffic, at });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
    const [calls, errors] = [formatRate(traffic.callsPerSecond), formatRate(traffic.errorsPerSecond)];
    this.#chart.update({
      from: Math.min(this.#samples[0]?.at ?? at, at - SHORTEST_CHART_MS),
      to: at,
      lines: [this.#samples.map((sample) => ({ at: sample.at, value: sample.callsPerSecond }))],
      label: `Calls per second in the last two minutes, since this page was opened: now ${calls}, ${errors} failed`,
    });
  }
}

/** A named fact, which is hidden while it does not apply. */
class Fact implements Part<Cell | undefined> {
  readonly root: HTMLElement;
  readonly #value: HTMLElement = element('dd');

  constructor(name: string) {
    this.root = element('div', {}, element('dt', {}, name), this.#value);
  }

  update(cell: Cell | undefined): void {
    this.root.hidden = cell === undefined;
    const { text = '', tone = '', title = '' } = cell ?? {};
    setText(this.#value, text);
    setAttribute(this.#value, 'class', tone);
    setAttribute(this.#value, 'title', title);
  }
}
