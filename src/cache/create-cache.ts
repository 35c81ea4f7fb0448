import type { Logger } from '../observe/logger.ts';
import type { RedisFault } from '../shared-store/redis/redis-client.ts';
import type { Cache } from './cache.ts';
import { createMemoryCache } from './memory-cache.ts';
import type { CacheOptions } from './options.ts';

/** Creates the configured cache: in memory, and also on a shared server if `redis` is set. */
export async function createCache(options: CacheOptions, log: Logger): Promise<Cache> {
  const { memoryBytes, entryBytes, redis } = options;
  const memory = createMemoryCache({ bytes: memoryBytes, entryBytes });
  if (redis === undefined) return memory;
  const { url, timeLimit, ttl, prefix } = redis;
  const onFault = createFaultLog(log);
  // The Redis client is loaded on demand, because loading takes 20 ms.
  const { createRedisCache } = await import('./redis-cache.ts');
  const { createTieredCache } = await import('./tiered-cache.ts');
  return createTieredCache(
    memory,
    createRedisCache({ url, limitMs: timeLimit, ttlMs: ttl, prefix, entryBytes, onFault }),
  );
}

function createFaultLog(log: Logger): (fault: RedisFault) => void {
  return (fault) => log.warn({ fault }, 'shared cache unavailable');
}
