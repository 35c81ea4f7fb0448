/** The one place where things are wired: a configuration becomes a service. */
import { availableParallelism } from 'node:os';
import { createCache } from '../cache/create-cache.ts';
import type { Chain } from '../chain/chain.ts';
import type { Config } from '../config/config.ts';
import { DEFAULT_POOL, ExecutionPool } from '../engine/execution/execution-pool.ts';
import { createGateway } from '../gateway/gateway.ts';
import type { Network } from '../gateway/network.ts';
import { NetworkRegistry } from '../gateway/network-registry.ts';
import type { Logger } from '../observe/logger.ts';
import type { MetricsJson } from '../observe/metrics/render-metrics.ts';
import type { StatusReport } from '../observe/status-report.ts';
import { Health, type NetworkReadiness } from '../server/health.ts';
import { createServer, type Server } from '../server/lifecycle.ts';
import { FairQueue } from '../util/fair-queue.ts';
import { createSources, watchService } from './observe-service.ts';
import { openAccess } from './open-access.ts';
import { type ChainBackends, type ObservedChain, openChain } from './open-chain.ts';
import { Rollups } from './open-rollups.ts';
import { readVersion } from './version.ts';

/** Everything that runs for one configuration. */
export interface Service {
  readonly server: Server;
  /** What this process tells of itself now; `mergeStatus` makes a status of one or of several. */
  readStatus(): StatusReport;
  /** What this process has counted; `renderMetrics` makes Prometheus' text of one or of several. */
  readMetrics(): Promise<MetricsJson>;
  /** Drains and closes the server, then everything behind it. */
  close(): Promise<void>;
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

/**
 * Builds the service that a configuration describes; it is not listening yet.
 * @param hasDemoKey networks beside the built-in ones that the key `demo` opens; on loopback only, as there
 * @throws Error naming the network whose chain cannot be opened
 */
export async function composeService(
  config: Config,
  log: Logger,
  hasDemoKey: (network: string) => boolean = () => false,
): Promise<Service> {
  const pool = new ExecutionPool({
    ...DEFAULT_POOL,
    threads: Math.max(1, availableParallelism() - 1),
    memoryLimit: config.execution.callMemory,
    runningLimit: config.execution.heavyCalls,
    queueLimit: config.execution.waitingCalls,
    onFault: (fault) => log.error({ fault }, 'execution fault'),
  });
  const chains = new Map<string, ObservedChain>();
  const observability = await watchService(config, log);
  const cache = await createCache(config.cache, log);
  const access = await openAccess(config, 1, log);
  const backends: ChainBackends = { dataDir: config.dataDir, pool, cache, log };
  const rollups = new Rollups(backends);
  const closeBackends = async (): Promise<void> => {
    await pool.close();
    await rollups.close();
    await Promise.all([...chains.values()].map((chain) => chain.close()));
    await cache.close();
    await access.close();
    await observability.close();
  };
  try {
    await openChains(config, chains, backends);
    await rollups.open(config.networks, chains);
    const gateway = createGateway({
      networks: createRegistry(config, { chains, rollups }, hasDemoKey),
      access,
      credits: config.access.credits,
      clientVersion: `portcullis/${readVersion()}`,
      limits: {
        batchItems: config.limits.batchItems,
        batchConcurrency: config.limits.batchConcurrency,
        batchAnswerBytes: config.limits.batchAnswerBytes,
        bodiesInFlight: config.limits.inFlightBodies,
        bodyTimeoutMs: config.limits.requestTimeout,
      },
      log,
      observer: observability.calls,
    });
    const server = createServer({
      gateway,
      options: { listen: config.listen, cors: config.cors, limits: config.limits },
      health: new Health(config.health, () => readNetworks(chains)),
      log,
      requests: observability.requests,
    });
    const sources = createSources(config, { chains, rollups, cache, pool, gateway, server });
    const close = async (): Promise<void> => {
      await server.close();
      await closeBackends();
    };
    return {
      server,
      readStatus: () => observability.readStatus(sources),
      readMetrics: () => observability.readMetrics(sources),
      close,
    };
  } catch (error) {
    await closeBackends();
    throw error;
  }
}

/** All at the same time: nodes may be slow to say who they are. What was opened is in `chains` even on failure. */
async function openChains(
  config: Config,
  chains: Map<string, ObservedChain>,
  backends: ChainBackends,
): Promise<void> {
  const outcomes = await Promise.allSettled(
    Object.entries(config.networks).map(async ([name, options]) => {
      try {
        chains.set(name, await openChain(name, options, backends));
      } catch (error) {
        throw new Error(`network ${name}: ${(error as Error).message}`, { cause: error });
      }
    }),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

function readNetworks(chains: ReadonlyMap<string, Chain>): NetworkReadiness {
  const names = [...chains.keys()];
  const isAnswerable = (name: string): boolean => chains.get(name)?.isAnswerable === true;
  return {
    answerable: names.filter(isAnswerable),
    unanswerable: names.filter((name) => !isAnswerable(name)),
  };
}

/** What networks are made of, by their names. */
type OpenNetworks = {
  readonly chains: ReadonlyMap<string, Chain>;
  readonly rollups: Rollups;
};

function createRegistry(
  config: Config,
  { chains, rollups }: OpenNetworks,
  hasDemoKey: (network: string) => boolean,
): NetworkRegistry {
  const isLoopback = LOOPBACK.test(config.listen.host);
  const bindings = Object.entries(config.networks).map(([name, options]) => {
    const chain = chains.get(name) as Chain;
    const rollup = rollups.get(name);
    const network: Network = {
      name,
      chain,
      ...(rollup !== undefined && {
        rollup: rollup.family,
        rollupPrefix: rollup.prefix,
      }),
      ...(options.passthrough !== undefined && { passthrough: options.passthrough }),
      turns: new FairQueue({
        running: config.limits.networkCalls,
        waiting: config.limits.networkQueue,
        waitMs: config.limits.queueWait,
      }),
      hasNodes: options.upstreams !== undefined,
      safeTag: options.safeTag,
      callTimeoutMs: options.callTimeout,
      allowsDemoKey: isLoopback && (options.builtin !== undefined || hasDemoKey(name)),
    };
    return { hosts: options.hosts, network };
  });
  const byDefault = bindings.find(({ network }) => network.name === config.defaultNetwork)?.network;
  return new NetworkRegistry(bindings, byDefault);
}
