import type { Config } from '../config/config.ts';
import type { Logger } from '../observe/logger.ts';
import { type Descriptors, readDescriptors } from '../util/descriptors.ts';

/** Descriptors per thread: the descriptors of its event loop, and the files that it opens while it starts. */
const PER_THREAD = 8;
/** Connections per node in addition to the configured `connections`, such as probes and announced heads. */
const PER_NODE = 8;
/** Connections per Valkey or Redis server. */
const PER_REDIS = 4;
/** Descriptors for admin connections, reloaded files, name lookups and the trace collector. */
const OTHERS = 32;
/** Minimum number of client connections; the service is of no use with fewer. */
const MIN_CONNECTIONS = 16;

/** Counts the file descriptors that are still to be opened, without client connections. */
export function countReserve(
  { networks, cache, access }: Pick<Config, 'networks' | 'cache' | 'access'>,
  threads: number,
): number {
  let reserve = OTHERS + threads * PER_THREAD;
  if (cache.redis !== undefined) reserve += PER_REDIS;
  if (access.valkey !== undefined) reserve += PER_REDIS;
  for (const { upstreams = [] } of Object.values(networks))
    for (const { connections } of upstreams) reserve += connections + PER_NODE;
  return reserve;
}

/**
 * Returns the maximum number of client connections, at most `limits.connections`. The returned number leaves enough file descriptors for threads,
 * nodes and the store. Without a free descriptor, a call that needs one fails. Logs a warning if the number is less than configured.
 * @param threads number of execution threads
 */
export function fitConnections(
  config: Config,
  threads: number,
  log: Logger,
  descriptors: Descriptors | undefined = readDescriptors(),
): number {
  const { connections } = config.limits;
  if (descriptors === undefined) return connections;
  const { limit, open } = descriptors;
  const reserved = open + countReserve(config, threads);
  const fitting = Math.max(MIN_CONNECTIONS, limit - reserved);
  if (fitting >= connections) return connections;
  log.warn(
    { openFiles: limit, reserved, configured: connections, connections: fitting },
    `limits.connections is lowered to ${fitting}: the process may open ${limit} files; raise that to ${connections + reserved} (ulimit -n, or LimitNOFILE of systemd), or lower limits.connections`,
  );
  return fitting;
}
