import type { Config } from '../config/config.ts';
import type { Logger } from '../observe/logger.ts';
import { type Descriptors, readDescriptors } from '../util/descriptors.ts';

/** Descriptors of a thread: its event loop's, and what it opens while it starts. */
const PER_THREAD = 8;
/** Connections to a node beside those of its calls: probes, announced heads. */
const PER_NODE = 8;
/** Connections to what machines share. */
const PER_REDIS = 4;
/** The admin server's connections, files that are read again, name lookups, the trace collector. */
const OTHERS = 32;
/** With fewer nothing could be served. */
const MIN_CONNECTIONS = 16;

/** Descriptors that are needed for something else than clients' connections, beside those that are open. */
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
 * As many client connections as the process has descriptors for, at most `limits.connections`: without one a call that needs
 * a thread, a node or the store would fail. Says so where that is fewer than configured.
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
