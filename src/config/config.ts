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
import { durationBetween } from '../util/duration-schema.ts';
import { option } from '../util/option.ts';
import { formatSize } from '../util/size.ts';
import { sizeBetween } from '../util/size-schema.ts';
import { type NetworkOptions, networksSchema } from './network-options.ts';

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

const limitsSchema: z.ZodType<Limits> = z
  .strictObject({
    ...transportLimitsShape,
    batchItems: option('Maximum number of items of a batch.', z.int().min(1).max(100_000).default(1_000)),
    batchConcurrency: option(
      'Maximum number of items of one batch that run at the same time. On networks of nodes, up to 8 times as many run.',
      z.int().min(1).max(1_000).default(16),
    ),
    batchAnswerBytes: option(
      'Maximum size of the answers of one batch, and of the result of one call that is executed locally.',
      sizeBetween('1B', '512MiB').prefault('25MB'),
    ),
    nodeBytes: option(
      'Maximum total size of buffered answers of nodes. One node may have half of it.',
      sizeBetween('1B', '16GiB').prefault(formatSize(limitOf('nodes.bytes'))),
    ),
    inFlightBodies: option(
      'Maximum number of request bodies that are processed at the same time, over all connections.',
      z.int().min(1).max(1_000_000).default(4_096),
    ),
    networkCalls: option(
      'Maximum number of calls that run on one network. One key may have its `ownerShare` of them. Further calls wait in a fair order of keys.',
      z.int().min(1).max(1_000_000).default(512),
    ),
    networkQueue: option(
      'Maximum number of calls that wait on one network.',
      z.int().min(0).max(1_000_000).default(2_048),
    ),
    queueWait: option(
      'Maximum expected wait of a call. A call with a longer expected wait is refused immediately.',
      durationBetween('1ms', '10m').prefault('2s'),
    ),
    filters: option('Maximum number of filters of a key.', z.int().min(1).max(100_000).default(1_000)),
    filterLife: option('Lifetime of a filter without polls.', durationBetween('1s', '24h').prefault('5m')),
  })
  .refine((limits) => limits.arrivingBytes >= limits.bodyBytes, {
    path: ['arrivingBytes'],
    error: 'must be at least bodyBytes: otherwise no body of that size could arrive',
  });

/** Schema of the whole file; `checkConfig` checks how the parts of the file fit together. */
export const configSchema: z.ZodType<Config> = z.strictObject({
  listen: option('Address and port of the service.', listenOptionsSchema),
  dataDir: option('Folder for keys, limits and filters.', z.string().min(1).default(DEFAULT_DATA_DIR)),
  workers: option(
    'Number of processes that answer requests. `auto` is one for each core.',
    z
      .union([z.int().min(1).max(256), z.literal('auto')], 'expected a number of processes, or auto')
      .default(1),
  ),
  defaultNetwork: option(
    'Network that serves requests for unknown host names. Without it, such requests get status 404.',
    z.string().exactOptional(),
  ),
  // `checkConfig` checks the names of networks. If the schema checked network names, an invalid name would hide the errors in its network.
  networks: option(
    'Networks by name. Each network is a chain, which is served at `/NAME/v3/KEY`.',
    networksSchema,
  ),
  limits: option('Bounds of the service (docs/bounds.md).', limitsSchema.prefault({})),
  access: option('Authentication and limits of keys (docs/operations.md).', accessOptionsSchema),
  execution: option('Limits of calls and estimates that are executed locally.', executionOptionsSchema),
  cache: option('Cache of answers.', cacheOptionsSchema),
  cors: option('Cross-origin requests of web pages.', corsOptionsSchema),
  health: option('Health checks.', healthOptionsSchema),
  admin: option(
    'Status page, console and metrics on a port of their own. `false` disables them.',
    adminOptionsSchema,
  ),
  log: option('Log of the service.', logOptionsSchema),
  tracing: option(
    'Spans for OpenTelemetry. Without this section, nothing is traced.',
    tracingOptionsSchema.exactOptional(),
  ),
});
