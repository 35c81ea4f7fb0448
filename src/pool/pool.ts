import type { Cache } from '../cache/cache.ts';
import type { Logger } from '../observe/logger.ts';
import { LatencyWindow } from '../util/latency-window.ts';
import { Lru } from '../util/lru.ts';
import { TokenBucket } from '../util/token-bucket.ts';
import type { UpstreamFault } from './fault.ts';
import type { PoolOptions } from './options.ts';
import { type AcceptRules, acceptRules } from './policies/accept-rules.ts';
import { backOff } from './policies/back-off.ts';
import { breakCircuit } from './policies/break-circuit.ts';
import { confirmErrors } from './policies/confirm-errors.ts';
import { confirmNulls, noteLacking } from './policies/confirm-nulls.ts';
import { failOver } from './policies/fail-over.ts';
import { hedge } from './policies/hedge.ts';
import { keepDeadline } from './policies/keep-deadline.ts';
import { learnLogSpans } from './policies/learn-log-spans.ts';
import { learnMethods } from './policies/learn-methods.ts';
import { order } from './policies/order.ts';
import { createProbe, probeSilent } from './policies/probe-silent.ts';
import { resumeStreams } from './policies/resume-streams.ts';
import { retry } from './policies/retry.ts';
import { createGroupSender, createSender } from './policies/send.ts';
import { singleFlight } from './policies/single-flight.ts';
import { createKeeper, fillCache, readCache } from './policies/use-cache.ts';
import { PolicyStack } from './policy-stack.ts';
import { createSendCoalesced, type SendCoalesced } from './send-coalesced.ts';
import type { Upstream } from './upstream.ts';
import type { Directed, Handler, Send } from './upstream-request.ts';

/** Maximum number of retry rounds in a burst; `HEDGE_RESERVE` is the maximum number of hedged calls in a burst. */
const RETRY_RESERVE = 20;
const HEDGE_RESERVE = 10;
/** Maximum number of methods whose latencies are recorded. */
const MAX_METHODS = 64;
const LATENCY_WINDOW_MS = 60_000;

export type PoolParts = {
  readonly network: string;
  readonly upstreams: readonly Upstream[];
  readonly options: PoolOptions;
  readonly cache: Cache;
  /** Whether a block height is final, so that its block cannot change. */
  readonly isFinal: (height: bigint) => boolean;
  readonly log: Logger;
  /**
   * Called if the answers of all nodes are refuted: decides whether they follow rules of the chain that this service does not know. Absent on
   * networks where nothing is verified.
   */
  readonly acceptRules?: AcceptRules;
  /**
   * Number of operators that must report an object as absent when every node is tried. If this number is undefined, a null is accepted when all
   * available nodes report null.
   */
  readonly voices?: { readonly needed: number } | undefined;
};

/** Functions that send single requests and groups of requests through the pool. */
export type Pool = { readonly ask: Send; readonly sendCoalesced: SendCoalesced };

/**
 * Creates the senders of a pool: the policies for requests to nodes, outermost first. Single requests and groups of requests pass the same policies.
 */
export function createPool({ network, upstreams, options, cache, isFinal, log, ...parts }: PoolParts): Pool {
  const probe = createProbe({
    sendToNode: createRecord(network, log).over(createSender(options)),
    limitMs: options.answerTimeout,
    onSilent: ({ name }, method) =>
      log.warn(
        { network, upstream: name, ...(method !== undefined && { method }) },
        method === undefined
          ? 'upstream does not answer calls that others answer: it is used last until it answers a probe'
          : 'upstream does not answer a method that others answer: it is used last for the method until it answers a probe',
      ),
  });
  const inTime = PolicyStack.of(keepDeadline());
  // On a development node, requests can change the state, so identical requests are not coalesced.
  const shared = options.development ? inTime : inTime.around(singleFlight());
  const policies = shared
    .around(fillCache(createKeeper(cache, isFinal)))
    .around(retry(options.retries, new TokenBucket({ capacity: RETRY_RESERVE }), isFinal))
    .around(acceptRules(parts.acceptRules))
    .around(order(upstreams))
    .around(probeSilent(probe))
    .around(resumeStreams())
    .around(confirmNulls(parts.voices))
    .around(failOver())
    .around(
      hedge({
        share: options.hedgePercent / 100,
        budget: new TokenBucket({ capacity: HEDGE_RESERVE }),
        latenciesOf: createLatencyTable(),
      }),
    )
    .around(noteLacking())
    .around(learnLogSpans())
    .around(breakCircuit(createEventLog(network, log)))
    .around(
      confirmErrors((error, upstream, method) =>
        log.info(
          { network, upstream: upstream.name, method, code: error.code, reason: error.message },
          'two upstreams agree that this error is a failed execution',
        ),
      ),
    )
    .around(backOff())
    .around(learnMethods());
  return {
    ask: readCache(cache)(policies.over(createSender(options))),
    sendCoalesced: createSendCoalesced(cache, policies.overGroups(createGroupSender(options))),
  };
}

/** Creates the sender for a node that is already chosen. The sender has only the policies that record the health of the node. */
export function createNodeClient({
  network,
  options,
  log,
}: Pick<PoolParts, 'network' | 'options' | 'log'>): Handler<Directed> {
  return createRecord(network, log).over(createSender(options));
}

/** Creates the policies that record the health of a node. */
function createRecord(network: string, log: Logger): PolicyStack<Directed, Directed> {
  return PolicyStack.of(breakCircuit(createEventLog(network, log))).around(backOff());
}

/**
 * Creates a table of latency windows: one per method, and a separate one for the method's calls in batches. Above the maximum, the least recently
 * used window is dropped.
 */
function createLatencyTable(): (method: string, isOfBatch: boolean) => LatencyWindow {
  const alone = new Lru<string, LatencyWindow>(MAX_METHODS, Number.POSITIVE_INFINITY);
  const ofBatches = new Lru<string, LatencyWindow>(MAX_METHODS, Number.POSITIVE_INFINITY);
  return (method, isOfBatch) => {
    const table = isOfBatch ? ofBatches : alone;
    const known = table.get(method);
    if (known !== undefined) return known;
    const created = new LatencyWindow(LATENCY_WINDOW_MS);
    table.set(method, created);
    return created;
  };
}

function createEventLog(network: string, log: Logger): Parameters<typeof breakCircuit>[0] {
  const describe = (
    { name, faults }: Upstream,
    { kind, message }: UpstreamFault,
  ): Record<string, unknown> => ({
    network,
    upstream: name,
    fault: kind,
    reason: message,
    count: faults.get(kind),
  });
  return {
    onHeard: ({ name }, method) =>
      method === undefined
        ? log.info({ network, upstream: name }, 'upstream answers calls again')
        : log.info({ network, upstream: name, method }, 'upstream answers the method again'),
    onOpen: (upstream, fault) =>
      log.warn(describe(upstream, fault), 'upstream fails too often: circuit breaker open'),
    onFault(upstream, fault, method) {
      if (fault.kind === 'unknown' || fault.kind === 'wrong' || fault.kind === 'unauthorized') {
        log.warn({ ...describe(upstream, fault), method }, 'upstream returned no usable answer');
      } else if (log.isLevelEnabled('debug')) {
        log.debug({ ...describe(upstream, fault), method }, 'upstream returned no usable answer');
      }
    },
  };
}
