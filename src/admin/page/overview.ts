import type { ProcessStatus, ServiceStatus, TrafficSample } from '../../observe/status.ts';
import { countOf } from '../../util/count-of.ts';
import { element, setAttribute, setText, svgElement } from './dom.ts';
import { formatBytes, formatCount, formatMs, formatRate, formatShare, NOTHING } from './format.ts';
import type { Part } from './keyed-list.ts';
import { Sparkline } from './sparkline.ts';

/** Bar that shows a share. The share is also displayed as a number. */
class Meter implements Part<number> {
  readonly root: SVGSVGElement;
  readonly #bar: SVGRectElement = svgElement('rect', { class: 'bar-part', height: '6', width: '0' });

  constructor() {
    const ground = svgElement('rect', { class: 'bar-ground', height: '6', width: '100' });
    this.root = svgElement(
      'svg',
      { viewBox: '0 0 100 6', preserveAspectRatio: 'none', class: 'meter', 'aria-hidden': 'true' },
      ground,
      this.#bar,
    );
  }

  /** @param share 0 to 1 */
  update(share: number): void {
    setAttribute(this.#bar, 'width', String(Math.round(share * 1_000) / 10));
  }
}

/** Number of latest samples that are averaged for a displayed rate. */
const RECENT = 10;
const SHORTEST_CHART_MS = 60_000;

type TileContent = { readonly value: string; readonly unit: string; readonly note: string };

class Tile {
  readonly root: HTMLElement;
  readonly #value: HTMLElement = element('span', { class: 'value' });
  readonly #unit: HTMLElement = element('span', { class: 'unit' });
  readonly #note: HTMLElement = element('p', { class: 'note' });

  constructor(title: string, chart?: Sparkline | Meter) {
    this.root = element('section', { class: 'tile' }, element('h3', {}, title));
    this.root.append(element('p', {}, this.#value, ' ', this.#unit), this.#note);
    if (chart !== undefined) this.root.append(chart.root);
  }

  update({ value, unit, note }: TileContent): void {
    setText(this.#value, value);
    setText(this.#unit, unit);
    setText(this.#note, note);
  }
}

/** Tiles with the calls, errors, latency, cache hits and load of the whole service. */
export class Overview implements Part<ServiceStatus> {
  readonly root: HTMLElement;
  readonly #charts = { calls: new Sparkline(), errors: new Sparkline(), latency: new Sparkline() };
  readonly #calls: Tile = new Tile('Calls', this.#charts.calls);
  readonly #errors: Tile = new Tile('Errors', this.#charts.errors);
  readonly #latency: Tile = new Tile('Latency', this.#charts.latency);
  readonly #hits: Meter = new Meter();
  readonly #cache: Tile = new Tile('Cache', this.#hits);
  readonly #load: Tile = new Tile('In progress');

  constructor() {
    const tiles = [this.#calls, this.#errors, this.#latency, this.#cache, this.#load];
    this.root = element('div', { class: 'tiles' }, ...tiles.map(({ root }) => root));
  }

  update({ at, traffic, cache, processes }: ServiceStatus): void {
    this.#updateTraffic(at, traffic);
    const { hits, misses, bytes } = cache;
    const share = hits + misses === 0 ? undefined : hits / (hits + misses);
    this.#cache.update({
      value: formatShare(share),
      unit: share === undefined ? 'no look-ups yet' : 'hits',
      note: `${countOf(hits, 'hit')}, ${countOf(misses, 'miss', 'misses')}; ${formatBytes(bytes)} cached`,
    });
    this.#hits.update(share ?? 0);
    const waiting = countOf(sum(processes, 'queued'), 'call waits', 'calls wait');
    const connections = `${countOf(sum(processes, 'connections'), 'connection')}, ${countOf(sum(processes, 'webSockets'), 'WebSocket')}`;
    const lateness = Math.max(0, ...processes.map(({ eventLoopDelay }) => eventLoopDelay));
    this.#load.update({
      value: formatCount(sum(processes, 'inFlight')),
      unit: 'requests',
      note: `${waiting}; ${connections}; event-loop delay up to ${formatMs(lateness)}`,
    });
  }

  #updateTraffic(at: number, traffic: readonly TrafficSample[]): void {
    const span = Math.max(SHORTEST_CHART_MS, at - (traffic[0]?.at ?? at));
    const window = { from: at - span, to: at };
    const recent = traffic.slice(-RECENT);
    const calls = mean(recent, 'callsPerSecond');
    const errors = mean(recent, 'errorsPerSecond');
    const timed = recent.findLast(({ p99 }) => p99 !== undefined);
    const highest = (pick: (sample: TrafficSample) => number | undefined): number | undefined =>
      traffic.length === 0 ? undefined : Math.max(...traffic.map((sample) => pick(sample) ?? 0));
    const line = (pick: (sample: TrafficSample) => number | undefined) =>
      traffic.map((sample) => ({ at: sample.at, value: pick(sample) }));
    const over = `in ${Math.round(span / 60_000)} min`;

    const mostCalls = `at most ${formatRate(highest(({ callsPerSecond }) => callsPerSecond))} ${over}`;
    this.#calls.update({ value: formatRate(calls), unit: 'per second', note: mostCalls });
    this.#charts.calls.update({
      ...window,
      lines: [line(({ callsPerSecond }) => callsPerSecond)],
      label: `Calls per second ${over}: now ${formatRate(calls)}, ${mostCalls}`,
    });

    const share = calls === undefined || errors === undefined || calls === 0 ? undefined : errors / calls;
    const ofCalls = share === undefined ? 'no calls now' : `${formatShare(share)} of calls`;
    this.#errors.update({ value: formatRate(errors), unit: 'per second', note: ofCalls });
    this.#charts.errors.update({
      ...window,
      lines: [line(({ errorsPerSecond }) => errorsPerSecond)],
      label: `Errors per second ${over}: now ${formatRate(errors)}, ${ofCalls}`,
    });

    const slowest = timed === undefined ? NOTHING : formatMs(timed.p99);
    this.#latency.update({
      value: formatMs(timed?.p50),
      unit: timed === undefined ? 'no calls now' : 'median',
      note: timed === undefined ? '' : `99% within ${slowest}`,
    });
    this.#charts.latency.update({
      ...window,
      lines: [line(({ p99 }) => p99), line(({ p50 }) => p50)],
      label: `Latency ${over}: median ${formatMs(timed?.p50)}, 99th percentile ${slowest}`,
    });
  }
}

function mean(
  samples: readonly TrafficSample[],
  field: 'callsPerSecond' | 'errorsPerSecond',
): number | undefined {
  if (samples.length === 0) return undefined;
  return samples.reduce((total, sample) => total + sample[field], 0) / samples.length;
}

function sum(
  processes: readonly ProcessStatus[],
  field: 'inFlight' | 'queued' | 'connections' | 'webSockets',
): number {
  return processes.reduce((total, process) => total + process[field], 0);
}
