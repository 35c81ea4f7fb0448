import type { Logger } from './logger.ts';
import type { RequestLogOptions } from './options.ts';
import { redactUrl } from './redact-url.ts';
import type { LabelledCalls, RequestReport } from './request-report.ts';

/** HTTP statuses caused by the service's state, not by a mistake of the client. */
const OVERLOADED = 429;
const FIRST_FAULT = 500;

/**
 * Writes at most one line per request body. Slow and failed requests are logged within the logger's rate limit, others with the probability `sample`.
 * All requests are logged if `sample` is 1, or at level `debug`. A line contains only names and numbers, no keys or bodies.
 */
export class RequestLog {
  /** Logger of slow and failed requests. */
  readonly #log: Logger;
  /** Logger of sampled requests, which has no rate limit. */
  readonly #sampled: Logger;
  readonly #options: RequestLogOptions;
  readonly #faults: ReadonlySet<string>;
  readonly #logsAll: boolean;
  readonly #random: () => number;

  /** @param faults outcomes that are faults of the service or of a node */
  constructor(
    log: Logger,
    options: RequestLogOptions,
    faults: ReadonlySet<string>,
    random: () => number = Math.random,
  ) {
    this.#sampled = log.everyLine ?? log;
    this.#log = options.sample === 1 || log.isLevelEnabled('debug') ? this.#sampled : log;
    this.#options = options;
    this.#faults = faults;
    this.#logsAll = log.isLevelEnabled('debug');
    this.#random = random;
  }

  /** @param ms duration of the request */
  onEnd(report: RequestReport, ms: number): void {
    const { sample, slow, failed } = this.#options;
    if (failed && this.#hasFailed(report)) this.#log.warn(describe(report, ms), 'request failed');
    else if (ms >= slow) this.#log.warn(describe(report, ms), 'slow request');
    else if (sample > 0 && this.#random() < sample) this.#sampled.info(describe(report, ms), 'request');
    else if (this.#logsAll) this.#log.debug(describe(report, ms), 'request');
  }

  #hasFailed(report: RequestReport): boolean {
    const { status } = report;
    return status >= FIRST_FAULT || status === OVERLOADED || report.hasOutcome(this.#faults);
  }
}

function describe(report: RequestReport, ms: number): Record<string, unknown> {
  const { caller, span } = report;
  return {
    network: report.network,
    ...describeCalls(report.groups),
    ...describeBounds(report.bounds),
    ms: Math.round(ms * 1_000) / 1_000,
    status: report.status === 0 ? undefined : report.status,
    requestBytes: report.requestBytes,
    responseBytes: report.responseBytes,
    transport: report.transport,
    verb: report.verb,
    url: report.url === undefined ? undefined : redactUrl(report.url),
    finished: report.isFinished,
    key: caller === undefined ? undefined : { id: caller.id, name: caller.name },
    address: report.address,
    trace: span?.traceParent.split('-')[1],
  };
}

/** Describes a single refusal by the name of its bound, and several refusals by the count per bound. */
function describeBounds(bounds: RequestReport['bounds']): Record<string, unknown> {
  if (bounds === undefined) return {};
  const [only] = bounds;
  return bounds.size === 1 && only?.[1] === 1 ? { bound: only[0] } : { bounds: Object.fromEntries(bounds) };
}

/** Describes a single call by its labels, and several calls by the count per label. */
function describeCalls(groups: readonly LabelledCalls[]): Record<string, unknown> {
  const [only] = groups;
  if (only === undefined) return {};
  const { method, outcome, source } = only;
  if (groups.length === 1 && only.count === 1) return { method, outcome, source };
  return {
    calls: groups.reduce((total, { count }) => total + count, 0),
    methods: countBy(groups, 'method'),
    outcomes: countBy(groups, 'outcome'),
    sources: countBy(groups, 'source'),
  };
}

function countBy(
  groups: readonly LabelledCalls[],
  key: 'method' | 'outcome' | 'source',
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const group of groups) counts[group[key]] = (counts[group[key]] ?? 0) + group.count;
  return counts;
}
