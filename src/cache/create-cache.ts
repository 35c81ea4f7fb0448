import type { Logger } from '../observe/logger.ts';
import type { RedisFault } from '../redis/redis-client.ts';
import type { Cache } from './cache.ts';
import { createMemoryCache } from './memory-cache.ts';
import type { CacheOptions } from './options.ts';
import { createTieredCache } from './tiered-cache.ts';

/** Between two log lines about faults of one kind. */
const LOG_INTERVAL_MS = 60_000;

/** The cache of a configuration; one that keeps nothing where nothing is configured. */
export async function createCache(options: CacheOptions, log: Logger): Promise<Cache> {
  const { memoryBytes, entryBytes, redis } = options;
  const memory = createMemoryCache({ bytes: memoryBytes, entryBytes });
  if (redis === undefined) return memory;
  const { url, timeLimit, ttl, prefix } = redis;
  const onFault = createFaultLog(log);
  // Its client takes 20 ms to load.
  const { createRedisCache } = await import('./redis-cache.ts');
  return createTieredCache(
    memory,
    createRedisCache({ url, limitMs: timeLimit, ttlMs: ttl, prefix, entryBytes, onFault }),
  );
}

/** Writes the first fault of a kind at once, and then one line an interval with their number. */
function createFaultLog(log: Logger): (fault: RedisFault) => void {
  const written = new Map<RedisFault, { at: number; since: number }>();
  return (fault) => {
    const now = performance.now();
    const last = written.get(fault);
    if (last !== undefined && now - last.at < LOG_INTERVAL_MS) {
      last.since++;
      return;
    }
    written.set(fault, { at: now, since: 0 });
    log.warn({ fault, faults: (last?.since ?? 0) + 1 }, 'shared cache is of no use at the moment');
  };
}
