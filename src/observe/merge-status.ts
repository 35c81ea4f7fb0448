import type { KeyUse } from './key-usage.ts';
import type {
  CacheStatus,
  ErrorEntry,
  NetworkStatus,
  ServiceStatus,
  SubscriptionStatus,
  TrafficSample,
  VerificationStatus,
} from './status.ts';
import type { NetworkReport, StatusReport } from './status-report.ts';
import { findPercentile, type SecondOfCalls, TRAFFIC_SECONDS } from './traffic.ts';
import { computeVerdict } from './verdict.ts';

/** Averaging period of a network's traffic, seconds. */
const RECENT_SECONDS = 10;
const MAX_KEYS = 1_000;
const MAX_ERRORS = 100;

/**
 * Merges the reports of the processes of a service.
 * @throws RangeError without reports
 */
export function mergeStatus(reports: readonly StatusReport[]): ServiceStatus {
  const [first] = reports;
  if (first === undefined) throw new RangeError('no process has reported');
  const at = Math.max(...reports.map((report) => report.at));
  const views = reports.flatMap((report) => report.networks);
  const processes = reports.map((report) => report.process);
  const networks = groupBy(views, ({ name }) => name).map((group) => mergeNetwork(group, at));
  return {
    version: first.version,
    at,
    startedAt: Math.min(...reports.map((report) => report.process.startedAt)),
    verdict: computeVerdict({ at, processes, networks }),
    processes,
    networks,
    cache: reports.map((report) => report.cache).reduce(addCaches),
    keys: mergeKeys(reports.flatMap((report) => report.keys)),
    traffic: listTraffic(
      views.flatMap(({ seconds }) => seconds),
      at,
    ),
    errors: mergeErrors(reports.flatMap((report) => report.errors)),
  };
}

function mergeNetwork(views: readonly NetworkReport[], at: number): NetworkStatus {
  const down = views.filter(({ outage }) => outage !== undefined);
  const isPartial = down.length > 0 && down.length < views.length;
  // The process with the highest head has the newest state of the network. Processes that cannot answer count only if all processes cannot.
  const candidates = isPartial ? views.filter(({ outage }) => outage === undefined) : views;
  const best = candidates.reduce((a, b) => ((b.head?.number ?? -1) > (a.head?.number ?? -1) ? b : a));
  const { seconds: _, ...network } = best;
  const until = Math.floor(at / 1_000);
  const recent = views
    .flatMap(({ seconds }) => seconds)
    .filter(({ second }) => second < until && second >= until - RECENT_SECONDS);
  const subscriptions = views.map((view) => view.subscriptions).reduce(addSubscriptions);
  const verification = mergeVerification(views, best);
  return {
    ...network,
    ...(isPartial && {
      partialOutage: { processes: down.length, total: views.length, reason: down[0]?.outage ?? '' },
    }),
    ...(verification !== undefined && { verification }),
    subscriptions,
    traffic: sample(recent, until * 1_000, RECENT_SECONDS),
  };
}

/** Returns the verification that the best view reports, with the answers of all processes. */
function mergeVerification(
  views: readonly NetworkReport[],
  { verification }: NetworkReport,
): VerificationStatus | undefined {
  if (verification === undefined) return undefined;
  const count = (trust: keyof VerificationStatus['trust']): number =>
    views.reduce((total, view) => total + (view.verification?.trust[trust] ?? 0), 0);
  return {
    ...verification,
    trust: { proven: count('proven'), agreed: count('agreed'), single: count('single') },
  };
}

/** Returns one sample for each of the last complete seconds, including seconds without calls. */
function listTraffic(seconds: readonly SecondOfCalls[], at: number): TrafficSample[] {
  const bySecond = new Map<number, SecondOfCalls[]>();
  for (const one of seconds) bySecond.set(one.second, [...(bySecond.get(one.second) ?? []), one]);
  const until = Math.floor(at / 1_000);
  return Array.from({ length: TRAFFIC_SECONDS - 1 }, (_, i) => {
    const second = until - TRAFFIC_SECONDS + 1 + i;
    return sample(bySecond.get(second) ?? [], second * 1_000, 1);
  });
}

function sample(seconds: readonly SecondOfCalls[], at: number, length: number): TrafficSample {
  const p50 = findPercentile(seconds, 0.5);
  const p99 = findPercentile(seconds, 0.99);
  return {
    at,
    callsPerSecond: seconds.reduce((total, { calls }) => total + calls, 0) / length,
    errorsPerSecond: seconds.reduce((total, { faults }) => total + faults, 0) / length,
    ...(p50 !== undefined && { p50 }),
    ...(p99 !== undefined && { p99 }),
  };
}

function addSubscriptions(a: SubscriptionStatus, b: SubscriptionStatus): SubscriptionStatus {
  const lag = Math.max(a.lag ?? -1, b.lag ?? -1);
  return { open: a.open + b.open, sent: a.sent + b.sent, ...(lag >= 0 && { lag }) };
}

function addCaches(a: CacheStatus, b: CacheStatus): CacheStatus {
  return { hits: a.hits + b.hits, misses: a.misses + b.misses, bytes: a.bytes + b.bytes };
}

function mergeKeys(keys: readonly KeyUse[]): KeyUse[] {
  return groupBy(keys, ({ id }) => id)
    .map((uses) =>
      uses.reduce((a, b) => ({
        id: a.id,
        name: a.name === '' ? b.name : a.name,
        calls: a.calls + b.calls,
        credits: a.credits + b.credits,
        limited: a.limited + b.limited,
      })),
    )
    .sort((a, b) => b.credits - a.credits)
    .slice(0, MAX_KEYS);
}

function mergeErrors(errors: readonly ErrorEntry[]): ErrorEntry[] {
  return groupBy(errors, ({ network, method, error }) => `${network} ${method} ${error}`)
    .map((entries) => ({
      ...(entries[0] as ErrorEntry),
      at: Math.max(...entries.map((entry) => entry.at)),
      count: entries.reduce((total, { count }) => total + count, 0),
    }))
    .sort((a, b) => b.at - a.at)
    .slice(0, MAX_ERRORS);
}

/** Groups values by name, in order of first appearance. */
function groupBy<T>(values: readonly T[], nameOf: (value: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(nameOf(value));
    if (group === undefined) groups.set(nameOf(value), [value]);
    else group.push(value);
  }
  return [...groups.values()];
}
