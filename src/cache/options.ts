import * as z from 'zod';
import { parseRedisUrl } from '../shared-store/redis/redis-url.ts';
import { durationBetween } from '../util/duration-schema.ts';
import { option } from '../util/option.ts';
import { sizeBetween } from '../util/size-schema.ts';

/** `cache.redis:`. Durations are in milliseconds. */
export type RedisOptions = {
  /** URL of the server. The URL may contain credentials, so it is never logged. */
  readonly url: string;
  readonly timeLimit: number;
  readonly ttl: number;
  readonly prefix: string;
};

/** `cache:` in the configuration file. */
export type CacheOptions = {
  /** Memory for cached answers in this process including the tables of the cache, bytes; below 128 KiB nothing is stored. */
  readonly memoryBytes: number;
  /** Maximum size of an entry in any tier, bytes. */
  readonly entryBytes: number;
  /** Valkey or Redis server of a cache that several processes share. */
  readonly redis?: RedisOptions;
};

const redisUrlSchema = z.string().superRefine((text, context) => {
  try {
    parseRedisUrl(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
});

const redisOptionsSchema: z.ZodType<RedisOptions> = z.strictObject({
  url: option('URL of the Valkey or Redis server, which may contain credentials.', redisUrlSchema),
  timeLimit: option(
    'Maximum time to wait for a reply of the server.',
    durationBetween('1ms', '1s').prefault('5ms'),
  ),
  ttl: option('Time for which the server stores an answer.', durationBetween('1s', '720h').prefault('1h')),
  prefix: option(
    'Prefix of all names on the server.',
    z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,64}$/, 'expected up to 64 letters, digits, dots, dashes and underscores')
      .default('portcullis'),
  ),
});

/** Schema of `cache:`. Without this section, answers are cached in memory only. */
export const cacheOptionsSchema: z.ZodType<CacheOptions> = z
  .strictObject({
    memoryBytes: option(
      'Memory of the cache. An eighth of it, and at most 4 MiB, is for answers that were requested once. 0 caches nothing.',
      sizeBetween('0B', '16GiB').prefault('32MiB'),
    ),
    entryBytes: option('Maximum size of a cached answer.', sizeBetween('1KiB', '64MiB').prefault('1MiB')),
    redis: option(
      'Valkey or Redis server of a cache that several processes share.',
      redisOptionsSchema.exactOptional(),
    ),
  })
  .prefault({});
