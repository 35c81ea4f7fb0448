import type { Cache } from '../cache/cache.ts';
import { createMemoryCache } from '../cache/memory-cache.ts';
import type { Chain } from '../chain/chain.ts';
import { DEFAULT_LOG_LIMITS, type LogLimits } from '../chain/log-range.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import { EngineChain } from '../engine/engine-chain.ts';
import type { ExecutionPool } from '../engine/execution/execution-pool.ts';
import type { Logger } from '../observe/logger.ts';
import type { ChainFigures } from '../observe/sources.ts';
import { type PoolOptions, poolOptionsSchema, type UpstreamOptions } from '../upstream/options.ts';
import { hasLmdbFile } from '../util/lmdb-folder.ts';
import { prepareBuiltinChain } from './builtin-chains.ts';
import { completeIndexes } from './index-store.ts';

/** A chain that tells metrics and the status page of itself. */
export type ObservedChain = Chain & { describe(): ChainFigures };

/** What chains of one process share. */
export type ChainBackends = {
  readonly dataDir: string;
  readonly pool: ExecutionPool;
  readonly cache: Cache;
  readonly log: Logger;
};

const NO_CACHE: Cache = createMemoryCache({ bytes: 0, entryBytes: 0 });

/** Opens the chain that a network's configuration names. @throws Error when that is not possible */
export async function openChain(
  name: string,
  { builtin, embedded, upstreams, pool, logs }: NetworkOptions,
  backends: ChainBackends,
): Promise<ObservedChain> {
  if (upstreams !== undefined) return openNodes(name, upstreams, backends, pool, logs);
  if (builtin !== undefined) {
    return new EngineChain(await prepareBuiltinChain(builtin, backends.dataDir), backends.pool, { logs });
  }
  const { data, proofBlocks } = embedded as NonNullable<NetworkOptions['embedded']>;
  if (!hasLmdbFile(data)) throw new Error(`there is no chain store in ${data}`);
  await completeIndexes(data, backends.log);
  return new EngineChain(data, backends.pool, { proofBlocks, logs });
}

/** Opens the chain that nodes know. @param pool and `logs` as by default when undefined */
export async function openNodes(
  name: string,
  upstreams: readonly UpstreamOptions[],
  { cache, log }: Pick<ChainBackends, 'cache' | 'log'>,
  pool: PoolOptions = poolOptionsSchema.parse(undefined),
  logs: LogLimits = DEFAULT_LOG_LIMITS,
): Promise<ObservedChain> {
  // HTTP and WebSocket clients take 0.1 s to load: not where there are no nodes.
  const { openUpstreamChain } = await import('../upstream/open-upstream-chain.ts');
  return openUpstreamChain({
    network: name,
    upstreams,
    pool,
    logs,
    cache: pool.cache ? cache : NO_CACHE,
    log,
  });
}
