import type { Cache } from '../cache/cache.ts';
import type { Config } from '../config/config.ts';
import { listLimitErrors } from '../gateway/call-watch.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Logger } from '../observe/logger.ts';
import { type Observability, openObservability } from '../observe/observability.ts';
import type { NetworkSource, Sources } from '../observe/sources.ts';
import { listFaults } from '../rpc/errors.ts';
import type { ServiceHealth } from '../server/health.ts';
import type { Server } from '../server/lifecycle.ts';
import type { EmbeddedChains } from './embedded-chains.ts';
import type { ObservedChain } from './open-chain.ts';
import type { OpenNetworks } from './open-networks.ts';
import { readVersion } from './version.ts';

/** Opens the request log, metrics and tracing of a service with this configuration. */
export function watchService(config: Config, log: Logger): Promise<Observability> {
  return openObservability({
    version: readVersion(),
    log,
    requests: config.log.requests,
    tracing: config.tracing,
    faults: listFaults(),
    refusals: listLimitErrors(),
    closeLimitMs: config.limits.drainTimeout,
  });
}

/** Parts of a service that are observed. */
export type ObservedParts = {
  readonly cache: Cache;
  readonly engine: EmbeddedChains;
  readonly gateway: Gateway;
  readonly server: Server;
  readonly health: ServiceHealth;
  /** Returns whether the Valkey or Redis server of the tables answers; absent where the tables are files. */
  readonly isStoreUp?: (() => boolean) | undefined;
};

/** Returns the sources of metrics and the status page. */
export function createSources(
  { config, chains, rollups, slots }: OpenNetworks,
  { cache, engine, gateway, server, health, isStoreUp }: ObservedParts,
): Sources {
  const networks = Object.entries(config.networks).map(([name, { hosts, upstreams }]): NetworkSource => {
    const chain = chains.get(name) as ObservedChain;
    return {
      name,
      hosts,
      source: upstreams === undefined ? 'embedded' : 'upstream',
      readFamily: () => rollups.get(name)?.familyName,
      read: () => chain.describe(),
      readWaiting: () => slots.get(name)?.waiting ?? 0,
    };
  });
  return {
    networks,
    isStoreUp,
    readCaches: () => cache.describe(),
    readEngine: () => engine.describe(),
    readServer() {
      const { arrivingBytes, unsentBytes, slowSubscribers, refusals } = server.shares;
      return {
        isDraining: health.isDraining,
        connections: server.connections,
        webSockets: server.webSockets,
        inFlight: gateway.bodiesInFlight,
        arrivingBytes,
        unsentBytes,
        slowSubscribers,
        shareRefusals: refusals,
      };
    },
  };
}
