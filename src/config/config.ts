import * as z from 'zod';
import { type AccessOptions, accessOptionsSchema } from '../access/options.ts';
import { type AdminOptions, adminOptionsSchema } from '../admin/options.ts';
import { type CacheOptions, cacheOptionsSchema } from '../cache/options.ts';
import { type ExecutionOptions, executionOptionsSchema } from '../chains/embedded/options.ts';
import {
  type LogOptions,
  logOptionsSchema,
  type TracingOptions,
  tracingOptionsSchema,
} from '../observe/options.ts';
import {
  type CorsOptions,
  corsOptionsSchema,
  type HealthOptions,
  healthOptionsSchema,
  type ListenerLimits,
  type ListenOptions,
  listenOptionsSchema,
  transportLimitsShape,
} from '../server/options.ts';
import { limitOf } from '../util/bounds.ts';
import { durationSchema } from '../util/duration-schema.ts';
import { type NetworkOptions, networkOptionsSchema } from './network-options.ts';

/** All options of `limits:`. Durations are milliseconds. */
export type Limits = ListenerLimits & {
  readonly batchItems: number;
  /** Maximum number of concurrent items of one batch. */
  readonly batchConcurrency: number;
  readonly batchAnswerBytes: number;
  /** Budget for buffered bytes from nodes, shared by all networks. */
  readonly nodeBytes: number;
  /** Maximum number of request bodies processed at the same time, over all connections. */
  readonly inFlightBodies: number;
  /** Maximum number of concurrent calls on one network, and of calls that wait for a slot. */
  readonly networkCalls: number;
  readonly networkQueue: number;
  /** Maximum expected wait for a slot, ms. If the expected wait of a call is longer, the call is rejected immediately. */
  readonly queueWait: number;
  /** Maximum number of filters per key, and lifetime of a filter without polls, ms. */
  readonly filters: number;
  readonly filterLife: number;
};

/** One configuration file with defaults filled in and absolute paths. */
export type Config = {
  readonly listen: ListenOptions;
  readonly dataDir: string;
  /** Number of processes that serve requests; `auto` is one per core. */
  readonly workers: number | 'auto';
  readonly defaultNetwork?: string;
  readonly networks: Readonly<Record<string, NetworkOptions>>;
  readonly limits: Limits;
  readonly access: AccessOptions;
  readonly execution: ExecutionOptions;
  readonly cache: CacheOptions;
  readonly cors: CorsOptions;
  readonly health: HealthOptions;
  readonly admin: AdminOptions | false;
  readonly log: LogOptions;
  readonly tracing?: TracingOptions;
};

/** Default data directory: next to the configuration file, or in the working directory. */
export const DEFAULT_DATA_DIR = '.portcullis';

const MiB = 1024 * 1024;

const limitsSchema: z.ZodType<Limits> = z
  .strictObject({
    ...transportLimitsShape,
    batchItems: z.int().min(1).max(100_000).default(1_000),
    batchConcurrency: z.int().min(1).max(1_000).default(16),
    batchAnswerBytes: z
      .int()
      .min(1)
      .max(512 * MiB)
      .default(25_000_000),
    nodeBytes: z
      .int()
      .min(1)
      .max(16_384 * MiB)
      .default(limitOf('nodes.bytes')),
    inFlightBodies: z.int().min(1).max(1_000_000).default(4_096),
    networkCalls: z.int().min(1).max(1_000_000).default(512),
    networkQueue: z.int().min(0).max(1_000_000).default(2_048),
    queueWait: durationSchema
      .refine((ms) => ms >= 1 && ms <= 600_000, 'expected a duration from 1ms to 10m')
      .prefault('2s'),
    filters: z.int().min(1).max(100_000).default(1_000),
    filterLife: durationSchema
      .refine((ms) => ms >= 1_000 && ms <= 86_400_000, 'expected a duration from 1s to 24h')
      .prefault('5m'),
  })
  .refine((limits) => limits.arrivingBytes >= limits.bodyBytes, {
    path: ['arrivingBytes'],
    error: 'must be at least bodyBytes: otherwise no body of that size could arrive',
  });

/** Schema of the whole file; `checkConfig` checks how the parts of the file fit together. */
export const configSchema: z.ZodType<Config> = z.strictObject({
  listen: listenOptionsSchema,
  dataDir: z.string().min(1).default(DEFAULT_DATA_DIR),
  workers: z
    .union([z.int().min(1).max(256), z.literal('auto')], 'expected a number of processes, or auto')
    .default(1),
  defaultNetwork: z.string().exactOptional(),
  // `checkConfig` checks the names of networks. If the schema checked network names, an invalid name would hide the errors in its network.
  networks: z.record(z.string(), networkOptionsSchema),
  limits: limitsSchema.prefault({}),
  access: accessOptionsSchema,
  execution: executionOptionsSchema,
  cache: cacheOptionsSchema,
  cors: corsOptionsSchema,
  health: healthOptionsSchema,
  admin: adminOptionsSchema,
  log: logOptionsSchema,
  tracing: tracingOptionsSchema.exactOptional(),
});
