import * as z from 'zod';
import { type AccessOptions, accessOptionsSchema } from '../access/options.ts';
import { type AdminOptions, adminOptionsSchema } from '../admin/options.ts';
import { type CacheOptions, cacheOptionsSchema } from '../cache/options.ts';
import { type ExecutionOptions, executionOptionsSchema } from '../engine/options.ts';
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
  type ListenOptions,
  listenOptionsSchema,
  type TransportLimits,
  transportLimitsShape,
} from '../server/options.ts';
import { limitOf } from '../util/bounds.ts';
import { durationSchema } from '../util/duration-schema.ts';
import { type NetworkOptions, networkOptionsSchema } from './network-options.ts';

/** `limits:`, all of it. Durations are milliseconds. */
export type Limits = TransportLimits & {
  readonly batchItems: number;
  /** Items of one batch in work at the same time. */
  readonly batchConcurrency: number;
  readonly batchAnswerBytes: number;
  /** The budget for bytes of nodes that wait in memory, for all networks together. */
  readonly nodeBytes: number;
  /** Bodies in work at the same time, all connections together. */
  readonly inFlightBodies: number;
  /** Calls in work on one network at the same time, and calls that may wait for that. */
  readonly networkCalls: number;
  readonly networkQueue: number;
  /** Calls that would have to wait longer are refused at once. */
  readonly queueWait: number;
  /** Filters that a key may have, and how long one lives that is not polled. */
  readonly filters: number;
  readonly filterLife: number;
};

/** What one configuration file says, with defaults filled in and paths absolute. */
export type Config = {
  readonly listen: ListenOptions;
  readonly dataDir: string;
  /** Processes that answer requests; `auto` is one for each core. */
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

/** Where keys are by default: beside the configuration file, or in the working folder. */
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
    error: 'must not be below bodyBytes: not one body could arrive',
  });

/** The whole file, apart from what its parts must agree on (`checkConfig`). */
export const configSchema: z.ZodType<Config> = z.strictObject({
  listen: listenOptionsSchema,
  dataDir: z.string().min(1).default(DEFAULT_DATA_DIR),
  workers: z
    .union([z.int().min(1).max(256), z.literal('auto')], 'expected a number of processes, or auto')
    .default(1),
  defaultNetwork: z.string().exactOptional(),
  // Their names are looked at by `checkConfig`: a bad one would hide what is below it.
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
