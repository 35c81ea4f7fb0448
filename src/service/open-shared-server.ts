import type { SharedServer } from '../access/options.ts';
import type { RedisClient, RedisFault } from '../shared-store/redis/redis-client.ts';

/** Maximum size of a reply, bytes: the record of a key, or a list of records. */
const VALUE_BYTES = 64 * 1024 * 1024;
/** Maximum number of pending commands: all keys in use may be read at the same time. */
const COMMANDS = 16_384;

/** Connects to the Valkey or Redis server of `access.valkey`. */
export async function openSharedServer(
  { url }: SharedServer,
  warn: (about: RedisFault) => void,
): Promise<RedisClient> {
  const { createRedisClient } = await import('../shared-store/redis/redis-client.ts');
  const { parseRedisUrl } = await import('../shared-store/redis/redis-url.ts');
  return createRedisClient({
    target: parseRedisUrl(url),
    valueBytes: VALUE_BYTES,
    commands: COMMANDS,
    onFault: warn,
  });
}
