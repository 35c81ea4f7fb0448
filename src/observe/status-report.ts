import type { CallRecorder } from './call-recorder.ts';
import type { EventLoopDelay } from './event-loop-delay.ts';
import type { KeyUse } from './key-usage.ts';
import type { ExecutionFigures, Sources, VerificationFigures } from './sources.ts';
import type { CacheStatus, ErrorEntry, NetworkStatus, ProcessStatus, VerificationStatus } from './status.ts';
import type { SubscriptionRecorder } from './subscription-recorder.ts';
import type { SecondOfCalls } from './traffic.ts';

/** Status of a network as one process reports it, with calls in a form that can be merged. */
export type NetworkReport = Omit<NetworkStatus, 'traffic' | 'partialOutage'> & {
  readonly seconds: readonly SecondOfCalls[];
};

/** Status of one process as plain JSON; `mergeStatus` merges several. */
export type StatusReport = {
  readonly version: string;
  readonly at: number;
  readonly process: ProcessStatus;
  readonly networks: readonly NetworkReport[];
  readonly cache: CacheStatus;
  readonly keys: readonly KeyUse[];
  readonly errors: readonly ErrorEntry[];
};

export type StatusParts = {
  readonly version: string;
  readonly calls: CallRecorder;
  readonly subscriptions: SubscriptionRecorder;
  readonly loopDelay: EventLoopDelay;
  readonly sources: Sources;
};

/** Reads the current status of this process. */
export function readStatus({ version, calls, subscriptions, loopDelay, sources }: StatusParts): StatusReport {
  const at = Date.now();
  calls.setClock(at);
  const { isDraining, connections, webSockets, inFlight } = sources.readServer();
  const { heapUsed, rss } = process.memoryUsage();
  return {
    version,
    at,
    process: {
      pid: process.pid,
      startedAt: Math.round(performance.timeOrigin),
      isDraining,
      ...(sources.isStoreUp?.() === false && { isStoreAway: true }),
      connections,
      webSockets,
      inFlight,
      queued: countQueued(sources),
      eventLoopDelay: loopDelay.read().p99 * 1_000,
      residentBytes: rss,
      heapBytes: heapUsed,
    },
    networks: readNetworks(sources, calls, subscriptions, Math.floor(at / 1_000)),
    cache: readCache(sources),
    keys: calls.keys.list(),
    errors: calls.errors.list(),
  };
}

function countQueued({ networks, readEngine }: Sources): number {
  return networks.reduce((total, { readWaiting }) => total + readWaiting(), readEngine().queued);
}

function readNetworks(
  { networks }: Sources,
  calls: CallRecorder,
  subscriptions: SubscriptionRecorder,
  second: number,
): NetworkReport[] {
  return networks.map(({ name, hosts, source, readFamily, read }) => {
    const { upstreams, ...chain } = read();
    const family = readFamily();
    return {
      name,
      hosts,
      source,
      ...(family !== undefined && { family }),
      ...(chain.chainId !== undefined && { chainId: chain.chainId }),
      ...(chain.outage !== undefined && { outage: chain.outage }),
      ...(chain.head !== undefined && { head: chain.head }),
      ...(chain.safe !== undefined && { safe: chain.safe }),
      ...(chain.finalized !== undefined && { finalized: chain.finalized }),
      ...(chain.isDevelopment === true && { isDevelopment: true }),
      ...(chain.blockTime !== undefined && { blockTime: chain.blockTime }),
      ...(chain.unconfirmed !== undefined && { unconfirmed: chain.unconfirmed }),
      ...(chain.isExpired !== undefined && { isExpired: chain.isExpired }),
      ...(chain.agreement !== undefined && { agreement: chain.agreement }),
      ...(chain.verification !== undefined && { verification: describeVerification(chain.verification) }),
      ...(chain.verification?.anchor !== undefined && { anchor: chain.verification.anchor }),
      ...(chain.execution !== undefined && { execution: pickExecution(chain.execution) }),
      // The status omits figures that only metrics use.
      upstreams: upstreams.map(
        ({
          inFlight: _,
          circuit: __,
          faults: ___,
          seconds: ____,
          hasVote: _____,
          creditsSpent: ______,
          isCordoned: _______,
          ...status
        }) => status,
      ),
      subscriptions: subscriptions.summarize(name),
      seconds: calls.trafficOf(name).list(second),
    };
  });
}

function pickExecution({ state, reason }: ExecutionFigures): NonNullable<NetworkReport['execution']> {
  return { state, ...(reason !== undefined && { reason }) };
}

function describeVerification({ isCalibrated, rows, trust }: VerificationFigures): VerificationStatus {
  const list = (wanted: VerificationFigures['rows'][number]['state']): string[] =>
    rows.filter(({ state }) => state === wanted).map(({ subject }) => subject);
  return {
    isCalibrated,
    verified: list('verified'),
    untested: list('untested'),
    unverifiable: listUnverifiable(rows),
    trust: { ...trust },
  };
}

function listUnverifiable(rows: VerificationFigures['rows']): readonly string[] {
  return rows.flatMap(({ subject, state, reason, from, until }) => {
    const named = from === undefined ? subject : `${subject} from block ${from} on`;
    if (state === 'verified' && until !== undefined) return [`${subject} in some blocks up to ${until}`];
    return state === 'unverifiable' ? [reason === undefined ? named : `${named}: ${reason}`] : [];
  });
}

function readCache({ readCaches }: Sources): CacheStatus {
  const caches = readCaches();
  const memory = caches.find(({ tier }) => tier === 'memory');
  // A request counts as one look-up, although a miss in memory may be a hit in the shared cache.
  const shared = caches.find(({ tier }) => tier === 'shared');
  const hits = (memory?.hits ?? 0) + (shared?.hits ?? 0);
  return { hits, misses: shared?.misses ?? memory?.misses ?? 0, bytes: memory?.bytes ?? 0 };
}
