import { availableParallelism } from 'node:os';
import type { CordonAnswer, NodeName, NodeView } from '../admin/api/api-sources.ts';
import { AdminRefusal } from '../admin/refusal.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../observe/logger.ts';
import { mergeStatus } from '../observe/merge-status.ts';
import type { MetricsJson } from '../observe/metrics/render-metrics.ts';
import type { ServiceStatus } from '../observe/status.ts';
import type { ListenAddress } from '../server/lifecycle.ts';
import { composeService } from './compose.ts';
import { type ConfigSource, makeConfig } from './config-source.ts';
import { mergeNodes } from './cordons.ts';
import { describeListenError } from './listen-error.ts';

/** Service in this process or in several workers. */
export interface ServiceHost {
  /** @throws Error with the reason if the service cannot listen */
  listen(): Promise<ListenAddress>;
  readStatus(): Promise<ServiceStatus>;
  /** Returns the metrics in Prometheus text format. */
  readMetrics(): Promise<{ readonly contentType: string; readonly text: string }>;
  /** @throws Error if the configuration cannot be applied; the previous configuration then remains in force */
  reload(configSource: ConfigSource): Promise<void>;
  reloadCertificate(): void;
  /** Stops accepting requests, and completes running ones. Status and metrics can be read until the returned promise resolves. */
  drain(): Promise<void>;
  /** Removes cached answers in every process, as `Service.evictCache`. @throws AdminRefusal if a process or the shared cache does not answer */
  evictCache(network: string | undefined): Promise<boolean>;
  /** Lists the nodes of all networks, over all processes. @throws AdminRefusal if a process does not answer */
  listNodes(): Promise<readonly NodeView[]>;
  /** As `Service.cordon`, in every process. @throws AdminRefusal if a process does not answer */
  cordon(name: NodeName, isForced: boolean): Promise<CordonAnswer>;
  uncordon(name: NodeName): Promise<CordonAnswer>;
  /** Drains the service, unless it is drained, and closes its backends. */
  close(): Promise<void>;
}

export type HostOptions = {
  readonly configSource: ConfigSource;
  readonly config: Config;
  /** Networks that the key `demo` opens, besides the built-in networks. */
  readonly demoNetworks: readonly string[];
  /** Whether a network that cannot be opened ends the process. */
  readonly isStrict: boolean;
  readonly log: Logger;
};

/** Time for closing the backends after the drain, ms. */
const CLOSE_MARGIN_MS = 5_000;

/** Opens the service in the configured number of processes. */
export function openHost(options: HostOptions): Promise<ServiceHost> {
  const { workers } = options.config;
  const count = workers === 'auto' ? availableParallelism() : workers;
  return count === 1 ? openHere(options) : openWorkers(options, count);
}

async function openHere({ config, demoNetworks, isStrict, log }: HostOptions): Promise<ServiceHost> {
  const hasDemoKey = (name: string): boolean => demoNetworks.includes(name);
  const service = await composeService(config, log, { hasDemoKey, isStrict });
  return {
    async listen() {
      try {
        return await service.server.listen();
      } catch (error) {
        throw new Error(describeListenError(error, config.listen));
      }
    },
    readStatus: async () => mergeStatus([await service.readStatus()]),
    readMetrics: async () => render([await service.readMetrics()]),
    reload: async (configSource) => service.reload(await makeConfig(configSource)),
    reloadCertificate: () => service.server.reload(),
    drain: () => service.drain(),
    evictCache: (network) => service.evictCache(network).catch(refuse),
    listNodes: async () => service.listNodes(),
    cordon: (name, isForced) => service.cordon(name, isForced),
    uncordon: (name) => service.uncordon(name),
    close: () => service.close(),
  };
}

async function openWorkers(options: HostOptions, workers: number): Promise<ServiceHost> {
  const { configSource, config, demoNetworks, isStrict, log } = options;
  const { WorkerPool } = await import('./workers/worker-pool.ts');
  // Only this process writes stores; workers read them.
  const { networks, dataDir, limits } = config;
  for (const [name, network] of Object.entries(networks)) {
    if (network.upstreams !== undefined) continue;
    const { prepareStore } = await import('./engine-parts.ts');
    try {
      await prepareStore(network, { dataDir, log });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (isStrict) throw new Error(`network ${name}: ${reason}`, { cause: error });
      // Workers may still be able to read a store whose indexes are incomplete.
      log.warn({ network: name, reason }, 'the store of the network could not be brought up to date');
    }
  }
  const stopLimitMs = limits.drainDelay + limits.drainTimeout + CLOSE_MARGIN_MS;
  const pool = new WorkerPool({ configSource, workers, demoNetworks, isStrict, stopLimitMs, log });
  return {
    listen: () => pool.start(),
    readStatus: async () => mergeStatus(await pool.readStatuses()),
    readMetrics: async () => render(await pool.readMetrics()),
    reload: (next) => pool.reload(next),
    reloadCertificate: () => void pool.reloadCertificate(),
    drain: () => pool.drain(),
    evictCache: (network) => pool.evictCache(network).catch(refuse),
    listNodes: async () => mergeNodes(await pool.listNodes().catch(refuse)),
    cordon: (name, isForced) => pool.cordons.cordon(name, isForced).catch(refuse),
    uncordon: (name) => pool.cordons.uncordon(name).catch(refuse),
    close: () => pool.close(),
  };
}

/** @throws AdminRefusal */
function refuse(error: Error): never {
  throw new AdminRefusal(503, error.message);
}

async function render(
  processes: readonly MetricsJson[],
): Promise<{ readonly contentType: string; readonly text: string }> {
  // Loaded on demand, because the library takes 20 ms to load.
  const { METRICS_CONTENT_TYPE, renderMetrics } = await import('../observe/metrics/render-metrics.ts');
  return { contentType: METRICS_CONTENT_TYPE, text: await renderMetrics(processes) };
}
