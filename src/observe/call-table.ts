import type { CallSource } from './call-report.ts';
import { DURATION_BOUNDS, Histogram } from './histogram.ts';
import type { MethodUsage } from './method-usage.ts';
import type { UsageCounter } from './usage-counter.ts';

/** Label of methods without a row in the table: text that clients choose is never a label. */
export const OTHER_METHOD_LABEL = 'unknown';

/** Outcome of a successful call; every other outcome is the name of a row in the error table. */
export const OK = 'ok';

/** Number and durations of calls with equal labels. */
export type CallSeries = {
  readonly network: string;
  readonly method: string;
  readonly outcome: string;
  readonly source: CallSource;
  /** Whether the outcome is caused by the service or a node. */
  readonly isFault: boolean;
  /** Whether the outcome is a refusal by a limit. */
  readonly isRefusal: boolean;
  /** Calls to the method by key. */
  readonly usage: MethodUsage;
  readonly seconds: Histogram;
};

/** Outcomes of calls by their meaning. */
export type KnownOutcomes = {
  /** Outcomes that are faults of the service or of a node. */
  readonly faults: ReadonlySet<string>;
  /** Outcomes that are refusals by a limit. */
  readonly refusals: ReadonlySet<string>;
};

type MethodRow = { readonly name: string; readonly usage: MethodUsage; readonly list: CallSeries[] };

/**
 * Maximum method labels per network; calls of further methods have the label `unknown`. Method labels come from the configuration and from the tables
 * of methods.
 */
const MAX_METHODS = 512;

/** Counters of calls, one series per network, method, outcome and source. */
export class CallSeriesTable {
  readonly #outcomes: KnownOutcomes;
  readonly #usage: UsageCounter;
  /** Map from a network to a map from a method to its counters. A method has few outcomes and sources, so its series form a list. */
  readonly #byNetwork = new Map<string, Map<string, MethodRow>>();
  #last: CallSeries | undefined;

  /** @param usage counter of calls by key, network and method */
  constructor(outcomes: KnownOutcomes, usage: UsageCounter) {
    this.#outcomes = outcomes;
    this.#usage = usage;
  }

  find(network: string, method: string, outcome: string, source: CallSource): CallSeries {
    const last = this.#last;
    if (
      last !== undefined &&
      last.method === method &&
      last.outcome === outcome &&
      last.source === source &&
      last.network === network
    ) {
      return last;
    }
    const { name, usage, list } = this.#rowOf(network, method);
    let series = list.find((one) => one.outcome === outcome && one.source === source);
    if (series === undefined) {
      const isFault = this.#outcomes.faults.has(outcome);
      const isRefusal = this.#outcomes.refusals.has(outcome);
      const seconds = new Histogram(DURATION_BOUNDS);
      series = { network, method: name, outcome, source, isFault, isRefusal, usage, seconds };
      list.push(series);
    }
    this.#last = series;
    return series;
  }

  *list(): Generator<CallSeries, void, undefined> {
    for (const methods of this.#byNetwork.values()) for (const { list } of methods.values()) yield* list;
  }

  #rowOf(network: string, method: string): MethodRow {
    let methods = this.#byNetwork.get(network);
    if (methods === undefined) {
      methods = new Map();
      this.#byNetwork.set(network, methods);
    }
    const known = methods.get(method);
    if (known !== undefined) return known;
    if (methods.size >= MAX_METHODS && method !== OTHER_METHOD_LABEL)
      return this.#rowOf(network, OTHER_METHOD_LABEL);
    const row = { name: method, usage: this.#usage.open(network, method), list: [] };
    methods.set(method, row);
    return row;
  }
}
