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
  /** Folder of the chain store, and the number of blocks below the head that have proofs. */
  readonly embedded?: { readonly data: string; readonly proofBlocks: number };
  readonly upstreams?: readonly UpstreamOptions[];
  /** Options of the pool of nodes. This option requires `upstreams`. */
  readonly pool: PoolOptions;
  /** Whether answers of nodes are verified; default `DEFAULT_VERIFY`. This option requires `upstreams`. */
  readonly verify?: VerifyMode;
  /**
   * Maximum number of blocks in an eth_getLogs range that is verified; default `DEFAULT_VERIFY_LOG_BLOCKS`. This option requires verified
   * `upstreams`.
   */
  readonly verifyLogBlocks?: number;
  /**
   * Percentage of the nodes' call results that are compared with local execution; default `DEFAULT_VERIFY_CALLS`. This option requires verified
   * `upstreams`.
   */
  readonly verifyCalls?: number;
  /** Whether calls are executed by nodes or locally. This option requires `upstreams`. */
  readonly execution: ExecutionMode;
  /** Path of a genesis file with the fork rules of the chain, for local execution. This option requires `upstreams`. */
  readonly chain?: string;
  /** Number of operators that must agree. This option requires verified `upstreams`. */
  readonly agreement?: AgreementOptions;
  /**
   * Number and hash of a block that the gateway's operator knows to be on the chain, independent of nodes. This option requires verified `upstreams`.
   */
  readonly checkpoint?: Checkpoint;
  /** Destinations to which transactions are sent. This option requires `upstreams`. */
  readonly send: SendSectionOptions;
  readonly methods: MethodOptions;
  /** Limits of one eth_getLogs response. */
  readonly logs: LogLimits;
  readonly safeTag: 'reject' | 'finalized';
  /** Time limit of one eth_call or estimate, milliseconds. */
  readonly callTimeout: number;
  /** Rate limit of the network, for all keys in total. */
  readonly rate?: Rate;
  readonly rollup?: RollupOptions;
};

const MiB = 1024 * 1024;

/** Section `logs:` of a network's configuration. */
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

/** Entry of `networks:` without the defaults that depend on other options. */
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
 * Row of `networks:`. If `verify` is absent, it is `require` under `agreement: bridge` (which accepts no other value), and `off` for a development
 * node.
 */
export const networkOptionsSchema: z.ZodType<NetworkOptions> = networkRowSchema.transform((written) => {
  const verify = written.verify ?? chooseVerify(written);
  const provided: NetworkRow = { ...written, ...(verify !== undefined && { verify }) };
  return { ...provided, execution: chooseExecution(provided) };
});

/**
 * Returns the mode for an absent `verify`; undefined means `DEFAULT_VERIFY`. A development node is not verified, because requests can change its
 * state without a new block.
 */
function chooseVerify({ agreement, upstreams, pool }: NetworkRow): VerifyMode | undefined {
  if (upstreams === undefined) return undefined;
  if (agreement === 'bridge') return 'require';
  return pool.development ? 'off' : undefined;
}

/**
 * By default, nodes execute calls. Under `verify: require`, calls are executed locally unless the rollup does not run the EVM, because the call
 * result of a node cannot be verified. `auto` begins with results of nodes, so `verify: require` replaces it by `local`.
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
