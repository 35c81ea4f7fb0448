import * as z from 'zod';
import { type Rate, rateSchema } from '../access/keys/rate.ts';
import { DEFAULT_LOG_LIMITS, type LogLimits } from '../chain/log-range.ts';
import { proofBlocksSchema } from '../chains/embedded/options.ts';
import { type AgreementOptions, agreementSchema } from '../chains/upstream/agreement/options.ts';
import { type SendSectionOptions, sendOptionsSchema } from '../chains/upstream/sending/options.ts';
import {
  type Checkpoint,
  checkpointSchema,
  DEFAULT_VERIFY,
  type ExecutionMode,
  executionModeSchema,
  type PoolOptions,
  poolOptionsSchema,
  type UpstreamOptions,
  upstreamsSchema,
  type VerifyMode,
  verifyCallsSchema,
  verifyLogBlocksSchema,
  verifySchema,
} from '../pool/options.ts';
import { hasOwnMachine } from '../rollup/family-table.ts';
import { type RollupOptions, rollupOptionsSchema } from '../rollup/options.ts';
import { durationSchema } from '../util/duration-schema.ts';
import { type MethodOptions, methodOptionsSchema } from './method-options.ts';

/** Chains included in the program. */
export const BUILTIN_CHAINS = ['devnet', 'rollup', 'op-rollup'] as const;
export type BuiltinChain = (typeof BUILTIN_CHAINS)[number];

/** Row of `networks:`. Exactly one of `builtin`, `embedded` and `upstreams` is present. */
export type NetworkOptions = {
  /** Host names, lower-case; `*.name` matches every name below it. */
  readonly hosts: readonly string[];
  readonly builtin?: BuiltinChain;
  /** Chain store, and the number of blocks below its head that have proofs. */
  readonly embedded?: { readonly data: string; readonly proofBlocks: number };
  readonly upstreams?: readonly UpstreamOptions[];
  /** Only with `upstreams`. */
  readonly pool: PoolOptions;
  /** Whether answers are recomputed; default `DEFAULT_VERIFY`. Only with `upstreams`. */
  readonly verify?: VerifyMode;
  /** Longest block range of eth_getLogs that is verified; default `DEFAULT_VERIFY_LOG_BLOCKS`. Only with verified `upstreams`. */
  readonly verifyLogBlocks?: number;
  /** Percentage of the nodes' call results that are compared with a local execution; default `DEFAULT_VERIFY_CALLS`. Only with verified `upstreams`. */
  readonly verifyCalls?: number;
  /** Place of call execution. Only with `upstreams`. */
  readonly execution: ExecutionMode;
  /** Path of a genesis file with the chain's rules, for local execution. Only with `upstreams`. */
  readonly chain?: string;
  /** Number of configured operators that must agree. Only with verified `upstreams`. */
  readonly agreement?: AgreementOptions;
  /** Block that is on the chain, whatever nodes report. Only with verified `upstreams`. */
  readonly checkpoint?: Checkpoint;
  /** Destination of transactions. Only with `upstreams`. */
  readonly send: SendSectionOptions;
  readonly methods: MethodOptions;
  /** Limits of one eth_getLogs response. */
  readonly logs: LogLimits;
  readonly safeTag: 'reject' | 'finalized';
  /** Time limit of one eth_call or estimate, milliseconds. */
  readonly callTimeout: number;
  /** Rate limit of all keys together. */
  readonly rate?: Rate;
  readonly rollup?: RollupOptions;
};

const MiB = 1024 * 1024;

/** `logs:` of a network. */
const logLimitsSchema: z.ZodType<LogLimits> = z
  .strictObject({
    blockRange: z.int().min(1).max(1_000_000_000).exactOptional(),
    results: z.int().min(1).max(1_000_000).default(DEFAULT_LOG_LIMITS.results),
    bytes: z
      .int()
      .min(1_024)
      .max(512 * MiB)
      .default(DEFAULT_LOG_LIMITS.bytes),
  })
  .prefault({});

const HOST_PATTERN = /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;
const IPV6_PATTERN = /^[0-9a-f.]*:[0-9a-f:.]*$/;

const hostSchema = z
  .string()
  .min(1)
  .max(253)
  .transform((host) => host.toLowerCase())
  .refine((host) => HOST_PATTERN.test(host) || IPV6_PATTERN.test(host), {
    error: 'expected a host name without port, or *.name for every name below it',
  });

type NetworkRow = Omit<NetworkOptions, 'execution'> & { readonly execution?: ExecutionMode };

/** Row of `networks:` as written. */
export const networkRowSchema: z.ZodType<NetworkRow> = z.strictObject({
  hosts: z.array(hostSchema).min(1).max(1_000),
  builtin: z.enum(BUILTIN_CHAINS).exactOptional(),
  embedded: z.strictObject({ data: z.string().min(1), proofBlocks: proofBlocksSchema }).exactOptional(),
  upstreams: upstreamsSchema.exactOptional(),
  pool: poolOptionsSchema,
  verify: verifySchema.exactOptional(),
  verifyLogBlocks: verifyLogBlocksSchema.exactOptional(),
  verifyCalls: verifyCallsSchema.exactOptional(),
  execution: executionModeSchema.exactOptional(),
  chain: z.string().min(1).exactOptional(),
  agreement: agreementSchema.exactOptional(),
  checkpoint: checkpointSchema.exactOptional(),
  send: sendOptionsSchema,
  methods: methodOptionsSchema,
  logs: logLimitsSchema,
  safeTag: z.enum(['reject', 'finalized']).default('reject'),
  callTimeout: durationSchema
    .refine((ms) => ms >= 1 && ms <= 600_000, 'expected a duration from 1ms to 10m')
    .prefault('5s'),
  rate: rateSchema.exactOptional(),
  rollup: rollupOptionsSchema.exactOptional(),
});

/**
 * Row of `networks:`. Unless `verify` is set, it defaults to `require` under `agreement: bridge`, where another value is an error, and to `off` for
 * a development node.
 */
export const networkOptionsSchema: z.ZodType<NetworkOptions> = networkRowSchema.transform((written) => {
  const verify = written.verify ?? chooseVerify(written);
  const provided: NetworkRow = { ...written, ...(verify !== undefined && { verify }) };
  return { ...provided, execution: chooseExecution(provided) };
});

/** Undefined means `DEFAULT_VERIFY`. Requests can change the state of a development node without a new block. */
function chooseVerify({ agreement, upstreams, pool }: NetworkRow): VerifyMode | undefined {
  if (upstreams === undefined) return undefined;
  if (agreement === 'bridge') return 'require';
  return pool.development ? 'off' : undefined;
}

/**
 * Nodes execute calls by default. Under `verify: require` calls are executed locally unless the rollup has a machine of its own, because a node's call
 * result cannot be verified; `auto` becomes `local` there, because it starts with nodes' results.
 */
function chooseExecution({
  execution,
  upstreams,
  rollup,
  verify = DEFAULT_VERIFY,
}: NetworkRow): ExecutionMode {
  if (verify !== 'require') return execution ?? 'node';
  if (execution !== undefined) return execution === 'auto' ? 'local' : execution;
  return upstreams !== undefined && !hasOwnMachine(rollup?.family) ? 'local' : 'node';
}
