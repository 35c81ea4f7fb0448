import * as z from 'zod';
import { parseRedisUrl } from '../shared-store/redis/redis-url.ts';
import { durationSchema } from '../util/duration-schema.ts';

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

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;
const SECOND = 1_000;
const HOUR = 3_600_000;

const redisUrlSchema = z.string().superRefine((text, context) => {
  try {
    parseRedisUrl(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
});

const redisOptionsSchema: z.ZodType<RedisOptions> = z.strictObject({
  url: redisUrlSchema,
  timeLimit: durationSchema
    .refine((ms) => ms >= 1 && ms <= SECOND, 'expected a duration from 1ms to 1s')
    .prefault('5ms'),
  ttl: durationSchema
    .refine((ms) => ms >= SECOND && ms <= 720 * HOUR, 'expected a duration from 1s to 720h')
    .prefault('1h'),
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'expected up to 64 letters, digits, dots, dashes and underscores')
    .default('portcullis'),
});

/** Schema of `cache:`. Without this section, answers are cached in memory only. */
export const cacheOptionsSchema: z.ZodType<CacheOptions> = z
  .strictObject({
    memoryBytes: z
      .int()
      .min(0)
      .max(16 * GiB)
      .default(32 * MiB),
    entryBytes: z
      .int()
      .min(KiB)
      .max(64 * MiB)
      .default(MiB),
    redis: redisOptionsSchema.exactOptional(),
  })
  .prefault({});
