/** Composes a service for a configuration from the parts that the `open-*` files open. */
import { availableParallelism } from 'node:os';
import type { CordonAnswer, NodeName, NodeView } from '../admin/api/api-sources.ts';
import { createCache } from '../cache/create-cache.ts';
import type { Config } from '../config/config.ts';
import { createNetworkFeed } from '../feed/network-feed.ts';
import { RemovedRecords } from '../feed/removed-records.ts';
import { type ConfiguredGateway, composeGateway } from '../gateway/gateway.ts';
import type { Interceptor } from '../gateway/intercepted-call.ts';
import { SwitchableGateway } from '../gateway/switchable-gateway.ts';
import type { Logger } from '../observe/logger.ts';
import type { MetricsJson } from '../observe/metrics/render-metrics.ts';
import type { Observability } from '../observe/observability.ts';
import type { StatusReport } from '../observe/status-report.ts';
import { createNodeMemory } from '../pool/node-memory.ts';
import { ServiceHealth } from '../server/health.ts';
import { createServer, type Server } from '../server/lifecycle.ts';
import { Cordons, listNodes } from './cordons.ts';
import { EmbeddedChains } from './embedded-chains.ts';
import { fitConnections } from './fit-connections.ts';
import type { OpenFeed } from './held-chains.ts';
import { createSources, watchService } from './observe-service.ts';
import { type OpenAccess, openAccess } from './open-access.ts';
import type { ChainBackends } from './open-chain.ts';
import { OpenNetworks } from './open-networks.ts';
import { ReloadQueue } from './reload-queue.ts';
import { checkReload } from './reload-rules.ts';
import { readVersion } from './version.ts';

/** All running parts of one configuration in one process. */
export interface Service {
  readonly server: Server;
  /** Gateway behind the server, for calls within this process. */
  readonly gateway: SwitchableGateway;
  /** Returns the status of this process; `mergeStatus` combines the status reports of several processes. */
  readStatus(): Promise<StatusReport>;
  /** Returns the metrics of this process; `renderMetrics` renders metrics of one or several processes as Prometheus text. */
  readMetrics(): Promise<MetricsJson>;
  /**
   * Replaces the whole configuration of the running service. Connections remain open, and running requests end under the old configuration.
   * @throws Error if the new configuration cannot be applied; the old configuration then remains in force
   */
  reload(config: Config): Promise<void>;
  /**
   * Removes the cached answers of a network, or of all networks.
   * @returns false for an unknown network
   * @throws Error (by rejection) if the shared cache does not answer
   */
  evictCache(network: string | undefined): Promise<boolean>;
  /** Lists the nodes of all networks, as this process uses them. */
  listNodes(): readonly NodeView[];
  /**
   * Takes a node out of service: it gets no new calls, even after the configuration changes.
   * @param isForced whether the node is cordoned even if the other nodes cannot answer in its place
   */
  cordon(name: NodeName, isForced: boolean): Promise<CordonAnswer>;
  /** Puts a cordoned node back into service. */
  uncordon(name: NodeName): Promise<CordonAnswer>;
  /** Drains and closes the server. A reload in progress ends, or is refused after 2 s. */
  drain(): Promise<void>;
  /** Drains and closes the server, then all its backends. */
  close(): Promise<void>;
}

export type ServiceOptions = {
  /**
   * Whether the key `demo` gives access to a network that is not built-in. The key `demo` gives access on a loopback listener only, as for built-in
   * networks.
   */
  readonly hasDemoKey?: (network: string) => boolean;
  /** Nodes that an operator has cordoned. */
  readonly cordons?: readonly NodeName[];
  /** Number of processes on this machine that serve this configuration. */
  readonly processes?: number;
  /** Whether a network that cannot be opened is an error; by default the other networks are served without it. */
  readonly isStrict?: boolean;
  /** Creates the feed of a network; by default, feeds follow the served heads. */
  readonly openFeed?: OpenFeed;
  /** User code that runs around each call; the first interceptor is the outermost. */
  readonly interceptors?: readonly Interceptor[];
};

/**
 * Builds the service of a configuration; the service does not listen yet.
 * @throws Error that names a network that cannot be opened, if `isStrict` or if no network can be opened
 */
export async function composeService(
  config: Config,
  log: Logger,
  options: ServiceOptions = {},
): Promise<Service> {
  const { hasDemoKey = () => false, processes = 1, isStrict = false, openFeed = createFeed } = options;
  const { interceptors = [] } = options;
  const threads = Math.max(1, Math.floor((availableParallelism() - 1) / processes));
  const { simulationGas } = config.execution;
  const engine = new EmbeddedChains({
    threads,
    memoryLimit: config.execution.callMemory,
    runningLimit: config.execution.heavyCalls,
    queueLimit: config.execution.waitingCalls,
    ownerShare: config.limits.ownerShare,
    provenState: config.execution.provenState,
    ...(simulationGas !== undefined && { simulationGas }),
    onFault: (fault) => log.error({ fault }, 'execution fault'),
  });
  const observability = await watchService(config, log);
  const cache = await createCache(config.cache, log);
  const nodeMemory = createNodeMemory(config.limits.nodeBytes);
  const backends: ChainBackends = { dataDir: config.dataDir, engine, cache, log, nodeMemory };
  const closeBackends = async (): Promise<void> => {
    await engine.close();
    await cache.close();
    await observability.close();
  };
  const cordons = new Cordons(options.cordons);
  const open = async (next: Config, before?: Core): Promise<Core> => {
    const parts = { backends, observability, processes, isStrict, hasDemoKey, openFeed, interceptors };
    return openCore(next, parts, before);
  };
  let core: Core;
  try {
    core = await open(config);
  } catch (error) {
    await closeBackends();
    throw error;
  }
  cordons.apply(core.networks.chains);
  const gateway = new SwitchableGateway(core.gateway);
  const limits = { ...config.limits, connections: fitConnections(config, threads, log) };
  const health = new ServiceHealth(config.health, () => core.networks.readReadiness());
  const server = createServer({
    gateway,
    options: { listen: config.listen, cors: config.cors, limits },
    health,
    log,
    requests: observability.requests,
  });
  const readSources = () =>
    createSources(core.networks, {
      cache,
      engine,
      gateway,
      server,
      health,
      isStoreUp: core.access.tables.isServerUp,
    });
  /** Promises that resolve when the parts of replaced configurations are closed. */
  const retiring = new Set<Promise<void>>();
  const reloads = new ReloadQueue<Config, Core>({
    async open(next) {
      checkReload(core.networks.config, next);
      return open(next, core);
    },
    apply(opened, next) {
      const before = core;
      core = opened;
      // Applied when the chains are in force: a change before that was made to the previous chains only.
      cordons.apply(core.networks.chains);
      gateway.switchTo(core.gateway);
      const retired = retire(before, next.limits.drainTimeout, log).finally(() => {
        gateway.forget(before.gateway);
        retiring.delete(retired);
      });
      retiring.add(retired);
    },
    log,
  });
  const drain = async (): Promise<void> => {
    await server.close();
    // The credits of this process are reported here, because the tables stay open until the abandoned reload ends.
    if (await reloads.close()) await core.access.tables.spending.close();
  };

  return {
    server,
    gateway,
    readStatus: () => observability.readStatus(readSources()),
    readMetrics: () => observability.readMetrics(readSources()),
    reload: (next) => reloads.reload(next),
    drain,
    listNodes: () => listNodes(core.networks.chains),
    cordon: (name, isForced) => cordons.cordon(() => core.networks.chains, name, isForced),
    uncordon: (name) => cordons.uncordon(() => core.networks.chains, name),
    async evictCache(network) {
      const chain = network === undefined ? undefined : core.networks.chains.get(network);
      if (network !== undefined && chain === undefined) return false;
      const chainId = chain?.describe().chainId;
      // A network whose chain id is unknown has no cached answers.
      if (network === undefined || chainId !== undefined) await cache.evictChain(chainId);
      return true;
    },
    async close() {
      await drain();
      await Promise.all(retiring);
      await core.close();
      await closeBackends();
    },
  };
}

const createFeed: OpenFeed = (chain, records) =>
  createNetworkFeed({
    chain,
    ...(records !== undefined && { removed: new RemovedRecords(records, () => chain.chainId) }),
  });

/** Backends of the server under one configuration. */
type Core = {
  readonly gateway: ConfiguredGateway;
  readonly networks: OpenNetworks;
  readonly access: OpenAccess;
  /** Closes the parts that no other configuration uses. */
  close(): Promise<void>;
};

type CoreParts = {
  readonly backends: ChainBackends;
  readonly observability: Observability;
  readonly processes: number;
  readonly isStrict: boolean;
  readonly hasDemoKey: (network: string) => boolean;
  readonly openFeed: OpenFeed;
  readonly interceptors: readonly Interceptor[];
};

async function openCore(config: Config, parts: CoreParts, before: Core | undefined): Promise<Core> {
  const { backends, observability, processes, isStrict, hasDemoKey, openFeed, interceptors } = parts;
  const access = await openAccess(
    config,
    { processes, usage: observability.calls.usage, log: backends.log },
    before?.access,
  );
  const { records, heights, spending } = access.tables;
  let networks: OpenNetworks;
  try {
    const earlier = before?.networks;
    networks = await OpenNetworks.open(
      config,
      { ...backends, records, heights, spending },
      { before: earlier, isStrict },
    );
  } catch (error) {
    await access.close();
    throw error;
  }
  const gateway = composeGateway({
    networks: networks.createRegistry(hasDemoKey, { openFeed, records }),
    access,
    credits: config.access.credits,
    clientVersion: `portcullis/${readVersion()}`,
    limits: {
      batchItems: config.limits.batchItems,
      batchConcurrency: config.limits.batchConcurrency,
      batchAnswerBytes: config.limits.batchAnswerBytes,
      reservedAnswerBytes: config.limits.unsentBytes,
      ownerShare: config.limits.ownerShare,
      bodiesInFlight: config.limits.inFlightBodies,
      bodyTimeoutMs: config.limits.requestTimeout,
    },
    log: backends.log,
    observer: observability.calls,
    subscriptions: observability.subscriptions,
    interceptors,
  });
  // Nothing can refuse the configuration from here on.
  spending.apply();
  return {
    gateway,
    networks,
    access,
    async close() {
      await networks.close();
      await access.close();
    },
  };
}

/** Interval between checks for running requests, ms. */
const LOOK_MS = 50;

/** Closes the parts of a replaced configuration once it has no running requests, or after the time limit. Never rejects. */
async function retire(core: Core, limitMs: number, log: Logger): Promise<void> {
  const until = performance.now() + limitMs;
  while (core.gateway.bodiesInFlight > 0 && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  try {
    await core.close();
  } catch (error) {
    log.error({ err: error }, 'resources of an earlier configuration could not be closed');
  }
}
