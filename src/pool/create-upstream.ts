import { AnswerMemory } from '../util/answer-memory.ts';
import { type Clock, systemClock } from '../util/clock.ts';
import type { SharedBudget } from '../util/shared-budget.ts';
import { createEndpoint, findOperator, nameUpstream } from './endpoint.ts';
import { listCredentials, listSecrets } from './errors/secrets.ts';
import { UpstreamFault } from './fault.ts';
import type { HeadFeed } from './heads/head-feed.ts';
import { HeadTracker } from './heads/head-tracker.ts';
import { createNodeFeed } from './node-feed.ts';
import type { PoolOptions, UpstreamOptions } from './options.ts';
import { PoolEvents } from './pool-events.ts';
import type { Spend } from './spend/spend.ts';
import { createTransport } from './transport/create-transport.ts';
import type { TransportLimits } from './transport/transport.ts';
import { Upstream } from './upstream.ts';

/** Maximum interval between polls for the head, ms, even if the block time is longer. */
const MAX_POLL_MS = 2_000;
const PING_MS = 15_000;
const CONTROL_CONNECTIONS = 2;

/**
 * Creates a node from one row of the configuration. Does not start to track the heads of the node.
 * @param spend counts the credits of calls to the node; undefined if they are free
 */
export function createUpstream(
  row: UpstreamOptions,
  position: number,
  pool: PoolOptions,
  memory: SharedBudget,
  clock: Clock,
  events: PoolEvents,
  spend?: Spend,
): Upstream {
  const name = nameUpstream(row, position);
  const bounds = limitsOf(row, pool, () => new AnswerMemory(memory, name));
  const limits = { ...bounds, ...(spend !== undefined && { meter: spend }) };
  const watched = {
    ...limits,
    onExcessive: (fault: UpstreamFault) => events.excessive.notify(upstream, fault),
  };
  const endpoint = createEndpoint(row.url, row);
  const announcer = row.heads === undefined ? undefined : createEndpoint(row.heads, row);
  const transport = createTransport(endpoint, watched);
  const announcements = announcer === undefined ? undefined : createTransport(announcer, limits);
  // The pool's own requests (heads, identity) need separate connections, because long answers that clients read slowly would delay them.
  const control =
    transport.watch === undefined ? createTransport(endpoint, controlLimits(watched)) : transport;
  const feed = createNodeFeed(
    { transport: control, memory: limits.memory },
    announcements ?? control,
    (block) => events.headerSeen.notify(block),
  );
  const tracker = new HeadTracker(
    countPolls(feed, () => upstream, events),
    {
      pollInterval: { min: pool.pollInterval, max: Math.max(pool.pollInterval, MAX_POLL_MS) },
      blockTimeMs: pool.blockTime,
      syncTolerance: pool.maxLagBlocks,
      onChange: () => events.headReported.notify(upstream),
      isAwaited: () => events.announced.size > 0,
      demand: () => upstream.pollDemand,
      maxLagMs: pool.maxLagTime,
      clock,
    },
  );
  const endpoints = [endpoint, ...(announcer === undefined ? [] : [announcer])];
  const upstream: Upstream = new Upstream({
    name,
    operator: findOperator(row),
    tier: row.tier,
    transport,
    control,
    ...(announcements !== undefined && { announcements }),
    tracker,
    secrets: endpoints.flatMap(({ url, headers }) => listSecrets(url, headers)),
    credentials: endpoints.flatMap(({ url, headers }) => listCredentials(url, headers)),
    openMemory: limits.memory,
    onExcessive: watched.onExcessive,
    spend,
    now: () => clock.now(),
  });
  return upstream;
}

/** Creates a relay, which receives requests like a node but belongs to no network: its head and chain id are never requested. */
export function createRelay(row: UpstreamOptions, pool: PoolOptions, memory: SharedBudget): Upstream {
  const relay = createUpstream(row, 0, pool, memory, systemClock, new PoolEvents());
  relay.apply({ kind: 'classified', verdict: { standing: 'verified' } });
  return relay;
}

function limitsOf(row: UpstreamOptions, pool: PoolOptions, memory: () => AnswerMemory): TransportLimits {
  return {
    connections: row.connections,
    inFlight: row.inFlight,
    batch: row.batch,
    connectTimeout: pool.connectTimeout,
    answerTimeout: pool.answerTimeout,
    stallTimeout: pool.stallTimeout,
    answerBytes: pool.answerBytes,
    streamBytes: pool.streamBytes,
    pingInterval: PING_MS,
    memory,
  };
}

function controlLimits(limits: TransportLimits): TransportLimits {
  return { ...limits, connections: CONTROL_CONNECTIONS };
}

/** Reports each poll for the head to the upstream, which detects whether the node is away. */
function countPolls(feed: HeadFeed, find: () => Upstream, events: PoolEvents): HeadFeed {
  return {
    ...feed,
    async getBlock(block) {
      const upstream = find();
      try {
        const found = await feed.getBlock(block);
        if (upstream.apply({ kind: 'polled', isAnswered: true }).includes('isBack'))
          events.back.notify(upstream);
        return found;
      } catch (error) {
        const fault = error instanceof UpstreamFault ? error.message : undefined;
        if (upstream.apply({ kind: 'polled', isAnswered: false, fault }).includes('isAway'))
          events.away.notify(upstream);
        throw error;
      } finally {
        events.polled.notify(upstream);
      }
    },
  };
}
