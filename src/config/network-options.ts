import * as z from 'zod';
import { type Rate, rateSchema } from '../access/keys/rate.ts';
import { DEFAULT_LOG_LIMITS, type LogLimits } from '../chain/log-range.ts';
import { proofBlocksSchema } from '../engine/options.ts';
import { hasOwnMachine } from '../rollup/family-table.ts';
import { type RollupOptions, rollupOptionsSchema } from '../rollup/options.ts';
import { type AgreementOptions, agreementSchema } from '../upstream/agreement/options.ts';
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
} from '../upstream/options.ts';
import { type SendOptions, sendOptionsSchema } from '../upstream/sending/options.ts';
import { durationSchema } from '../util/duration-schema.ts';
import { type MethodOptions, methodOptionsSchema } from './method-options.ts';

/** Chains that come with the program. */
export const BUILTIN_CHAINS = ['devnet', 'rollup', 'op-rollup'] as const;
export type BuiltinChain = (typeof BUILTIN_CHAINS)[number];

/** One row of `networks:`. Exactly one of `builtin`, `embedded` and `upstreams` is given. */
export type NetworkOptions = {
  /** Host names, lower case; `*.name` means every name below. */
  readonly hosts: readonly string[];
  readonly builtin?: BuiltinChain;
  /** A store, and how many blocks below its head have proofs. */
  readonly embedded?: { readonly data: string; readonly proofBlocks: number };
  readonly upstreams?: readonly UpstreamOptions[];
  /** Of `upstreams`. */
  readonly pool: PoolOptions;
  /** Whether answers are recomputed, `DEFAULT_VERIFY` where it is absent; of `upstreams`. */
  readonly verify?: VerifyMode;
  /** Blocks of a range of eth_getLogs up to which its answer is, `DEFAULT_VERIFY_LOG_BLOCKS` where it is absent; of `upstreams` that are verified. */
  readonly verifyLogBlocks?: number;
  /** Of nodes' answers to calls, those that are compared with an execution here, per cent, `DEFAULT_VERIFY_CALLS` where it is absent; of `upstreams` that are verified. */
  readonly verifyCalls?: number;
  /** Where calls are executed; of `upstreams`. */
  readonly execution: ExecutionMode;
  /** Path of a genesis file with the rules of the chain, for calls that are executed here; of `upstreams`. */
  readonly chain?: string;
  /** How many of the configured operators must say the same; of `upstreams` that are verified. */
  readonly agreement?: AgreementOptions;
  /** A block that is on the chain, whatever nodes say; of `upstreams` that are verified. */
  readonly checkpoint?: Checkpoint;
  /** Where transactions go; of `upstreams`. */
  readonly send: SendOptions;
  readonly methods: MethodOptions;
  /** Bounds of one answer of eth_getLogs. */
  readonly logs: LogLimits;
  readonly safeTag: 'reject' | 'finalized';
  /** Time limit of one eth_call or estimate, milliseconds. */
  readonly callTimeout: number;
  /** Calls of all keys together. */
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

type GivenNetwork = Omit<NetworkOptions, 'execution'> & { readonly execution?: ExecutionMode };

/** One row of `networks:` as it is written. */
export const givenNetworkSchema: z.ZodType<GivenNetwork> = z.strictObject({
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

/** One row of `networks:`. Under `agreement: bridge` what is not proven is refused, and of a development node nothing is verified, unless `verify` says otherwise, which is an error in the first case. */
export const networkOptionsSchema: z.ZodType<NetworkOptions> = givenNetworkSchema.transform((written) => {
  const verify = written.verify ?? chooseVerify(written);
  const given: GivenNetwork = { ...written, ...(verify !== undefined && { verify }) };
  return { ...given, execution: chooseExecution(given) };
});

/** Undefined where it is `DEFAULT_VERIFY`. The state of a development node is not that of its block once it was changed by request. */
function chooseVerify({ agreement, upstreams, pool }: GivenNetwork): VerifyMode | undefined {
  if (upstreams === undefined) return undefined;
  if (agreement === 'bridge') return 'require';
  return pool.development ? 'off' : undefined;
}

/**
 * By default nodes execute calls. Under `verify: require` they are executed here unless a rollup has a machine of its own, since a node's answer to a call proves
 * nothing; `auto` is `local` there, because it begins with nodes' answers.
 */
function chooseExecution({
  execution,
  upstreams,
  rollup,
  verify = DEFAULT_VERIFY,
}: GivenNetwork): ExecutionMode {
  if (verify !== 'require') return execution ?? 'node';
  if (execution !== undefined) return execution === 'auto' ? 'local' : execution;
  return upstreams !== undefined && !hasOwnMachine(rollup?.family) ? 'local' : 'node';
}
