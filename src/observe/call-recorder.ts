import type { BoundName } from '../util/bounds.ts';
import type { Caller, CallObserver, CallSource } from './call-report.ts';
import { type CallSeries, CallSeriesTable } from './call-table.ts';
import { Histogram } from './histogram.ts';
import { KeyUsage } from './key-usage.ts';
import type { LimitObserver, LimitReason } from './limit-observer.ts';
import type { ErrorEntry } from './status.ts';
import { Traffic } from './traffic.ts';
import { UsageCounter } from './usage-counter.ts';

/** Maximum distinct failures; the least recently seen one is evicted. */
const MAX_ENTRIES = 100;

/** Latest failures of the service or of nodes, grouped by network, method and error. */
class RecentErrors {
  /** Failures in the order of their last occurrence, oldest first. */
  readonly #entries = new Map<string, { -readonly [K in keyof ErrorEntry]: ErrorEntry[K] }>();

  /** @param at Unix milliseconds */
  note(network: string, method: string, error: string, at: number): void {
    const name = `${network} ${method} ${error}`;
    const entry = this.#entries.get(name) ?? { at, network, method, error, count: 0 };
    entry.at = at;
    entry.count++;
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    if (this.#entries.size <= MAX_ENTRIES) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Returns the failures, newest first. */
  list(): ErrorEntry[] {
    return [...this.#entries.values()].map((entry) => ({ ...entry })).reverse();
  }
}

const BATCH_BOUNDS: readonly number[] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];
/** Label of refusals before the network is known. */
const NO_NETWORK = 'unknown';

/** Number of refusals by reason and bound. */
export type RefusalCount = {
  readonly reason: LimitReason;
  readonly bound: BoundName | undefined;
  count: number;
};

/** Counters of all calls and refusals in a process. The update at the end of a call takes well under 1 us, without allocation. */
export class CallRecorder implements CallObserver, LimitObserver {
  readonly table: CallSeriesTable;
  readonly keys: KeyUsage = new KeyUsage();
  /** Calls by key, network and method that are not reported to the shared table yet. */
  readonly usage: UsageCounter = new UsageCounter();
  readonly errors: RecentErrors = new RecentErrors();
  readonly batchItems: Histogram = new Histogram(BATCH_BOUNDS);
  readonly brokenStreams: Map<string, number> = new Map();
  /** Counts of refusals by network name. */
  readonly limited: Map<string, RefusalCount[]> = new Map();
  readonly #traffic = new Map<string, Traffic>();
  #lastTraffic: Traffic | undefined;
  #lastNetwork: string | undefined;
  /** Unix time at the origin of `performance.now()`, milliseconds. */
  #origin: number;

  /**
   * @param faults outcomes that are faults of the service or of a node
   * @param refusals outcomes that are refusals by a limit
   */
  constructor(faults: ReadonlySet<string>, refusals: ReadonlySet<string> = new Set()) {
    this.table = new CallSeriesTable({ faults, refusals }, this.usage);
    this.#origin = performance.timeOrigin;
  }

  /** Sets the current Unix time, so that calls are counted in the right second. The system clock may have been corrected since the start. */
  setClock(unixMs: number): void {
    this.#origin = unixMs - performance.now();
  }

  onCall(
    network: string,
    method: string,
    outcome: string,
    source: CallSource,
    ms: number,
    caller: Caller,
    credits: number,
    now: number,
  ): void {
    const series: CallSeries = this.table.find(network, method, outcome, source);
    series.seconds.record(ms / 1_000);
    const at = this.#origin + now;
    this.trafficOf(network).record(ms, series.isFault, Math.floor(at / 1_000));
    this.keys.count(caller, credits);
    series.usage.count(caller.id, credits, series.isRefusal);
    if (series.isFault) this.errors.note(network, series.method, outcome, Math.round(at));
  }

  onSurcharge(caller: Caller, credits: number, network: string): void {
    this.keys.addCredits(caller, credits);
    this.usage.addSurcharge(caller.id, network, credits);
  }

  onBatch(items: number): void {
    this.batchItems.record(items);
  }

  onBrokenStream(network: string): void {
    this.brokenStreams.set(network, (this.brokenStreams.get(network) ?? 0) + 1);
  }

  onLimited(
    reason: LimitReason,
    bound: BoundName | undefined,
    network: string = NO_NETWORK,
    keyId?: string,
  ): void {
    let counts = this.limited.get(network);
    if (counts === undefined) {
      counts = [];
      this.limited.set(network, counts);
    }
    const known = counts.find((count) => count.reason === reason && count.bound === bound);
    if (known === undefined) counts.push({ reason, bound, count: 1 });
    else known.count++;
    if (keyId !== undefined) this.keys.countLimited(keyId);
  }

  trafficOf(network: string): Traffic {
    if (this.#lastNetwork === network && this.#lastTraffic !== undefined) return this.#lastTraffic;
    let traffic = this.#traffic.get(network);
    if (traffic === undefined) {
      traffic = new Traffic();
      this.#traffic.set(network, traffic);
    }
    this.#lastNetwork = network;
    this.#lastTraffic = traffic;
    return traffic;
  }
}
