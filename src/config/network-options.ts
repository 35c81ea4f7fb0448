import { isIP } from 'node:net';
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
import { durationBetween } from '../util/duration-schema.ts';
import { isHostName } from '../util/host.ts';
import { option } from '../util/option.ts';
import { formatSize } from '../util/size.ts';
import { sizeBetween } from '../util/size-schema.ts';
import { type MethodOptions, methodOptionsSchema } from './method-options.ts';

/** Chains included in the program. */
export const BUILTIN_CHAINS = ['devnet', 'rollup', 'op-rollup'] as const;
export type BuiltinChain = (typeof BUILTIN_CHAINS)[number];

/** Row of `networks:`. Exactly one of `builtin`, `embedded` and `upstreams` is present. */
export type NetworkOptions = {
  /** Host names in lower case; `*.name` matches every name below it. By default, the name is `<network>.localhost`. */
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

/** Section `logs:` of a network's configuration. */
const logLimitsSchema: z.ZodType<LogLimits> = z
  .strictObject({
    blockRange: option(
      'Maximum number of blocks of one range. By default, it is not limited.',
      z.int().min(1).max(1_000_000_000).exactOptional(),
    ),
    results: option(
      'Maximum number of logs.',
      z.int().min(1).max(1_000_000).default(DEFAULT_LOG_LIMITS.results),
    ),
    bytes: option(
      'Maximum size of the JSON.',
      sizeBetween('1KiB', '512MiB').prefault(formatSize(DEFAULT_LOG_LIMITS.bytes)),
    ),
  })
  .prefault({});

const hostSchema = z
  .string()
  .transform((host) => host.toLowerCase())
  .refine((host) => isIP(host) !== 0 || isHostName(host.replace(/^\*\./, '')), {
    error: 'expected a host name without port, or *.name for every name below it',
  });

/** Options of a network as written in its section, without the defaults that depend on its name. */
type NetworkSection = Omit<NetworkOptions, 'hosts'> & { readonly hosts?: readonly string[] };

type NetworkRow = Omit<NetworkSection, 'execution'> & { readonly execution?: ExecutionMode };

/** Entry of `networks:` without the defaults that depend on other options. */
export const networkRowSchema: z.ZodType<NetworkRow> = z.strictObject({
  hosts: option(
    'Host names that select the network without its name in the path. `*.name` matches every name below it. Exact names take precedence over wildcards. By default, the host name is `NAME.localhost`. An empty list is none.',
    z.array(hostSchema).max(1_000).exactOptional(),
  ),
  builtin: option(
    'Development chain that is included in the program.',
    z.enum(BUILTIN_CHAINS).exactOptional(),
  ),
  embedded: option(
    'Chain that the service executes itself.',
    z
      .strictObject({
        data: option('Folder that `portcullis import --data` filled.', z.string().min(1)),
        proofBlocks: option(
          'Number of blocks below the head for which `eth_getProof` answers.',
          proofBlocksSchema,
        ),
      })
      .exactOptional(),
  ),
  upstreams: option(
    'Nodes of the network, hosted or your own: URLs, or maps with a URL and options.',
    upstreamsSchema.exactOptional(),
  ),
  pool: option('Rules for the nodes: identity, head, timeouts, retries.', poolOptionsSchema),
  verify: option(
    'Whether answers of nodes are verified. `auto` verifies data as far as the chain allows. `require` refuses answers that cannot be verified. `off` only compares nodes. By default, it is `auto`.',
    verifySchema.exactOptional(),
  ),
  verifyLogBlocks: option(
    'Maximum number of blocks of a range of `eth_getLogs` that is compared with receipts, where answers are verified. By default, it is 32.',
    verifyLogBlocksSchema.exactOptional(),
  ),
  verifyCalls: option(
    'Percentage of answers to `eth_call` that are compared with a local execution, where answers are verified. By default, it is 1.',
    verifyCallsSchema.exactOptional(),
  ),
  execution: option(
    'Place where calls are executed: by the `node`, or `local` on state that nodes prove. `auto` is local once both have the same results. By default, it is `node`, and `local` with `verify: require`.',
    executionModeSchema.exactOptional(),
  ),
  chain: option(
    'Genesis file with the fork rules of the chain, for local execution on an unknown chain.',
    z.string().min(1).exactOptional(),
  ),
  agreement: option(
    'Number of operators that must return the same answer. `bridge` requires nearly all operators, and refuses any other answer.',
    agreementSchema.exactOptional(),
  ),
  checkpoint: option(
    'Trusted block, which is on the chain whatever nodes report. It is used where answers are verified.',
    checkpointSchema.exactOptional(),
  ),
  send: option('Destinations and checks of transactions.', sendOptionsSchema),
  methods: option(
    'Methods that are served. By default, all methods of docs/methods.md are served.',
    methodOptionsSchema,
  ),
  logs: option('Limits of one answer to `eth_getLogs`.', logLimitsSchema),
  safeTag: option(
    'Treatment of the tag `safe` by the four methods that do not support it (`eth_getUncleByBlockNumberAndIndex`, `eth_getTransactionByBlockNumberAndIndex`, `eth_getBlockReceipts`, `l2_estimateGas`): it is rejected, or read as `finalized`.',
    z.enum(['reject', 'finalized']).default('reject'),
  ),
  callTimeout: option(
    'Maximum duration of one call or estimate.',
    durationBetween('1ms', '10m').prefault('5s'),
  ),
  rate: option(
    'Rate limit of the network, for all keys in total. By default, it is not limited.',
    rateSchema.exactOptional(),
  ),
  rollup: option('Options of a rollup. An empty map is enough.', rollupOptionsSchema.exactOptional()),
});

/**
 * Row of `networks:`. If `verify` is absent, it is `require` under `agreement: bridge` (which accepts no other value), and `off` for a development
 * node.
 */
const networkSectionSchema: z.ZodType<NetworkSection> = networkRowSchema.transform((written) => {
  const verify = written.verify ?? chooseVerify(written);
  const provided: NetworkRow = { ...written, ...(verify !== undefined && { verify }) };
  return { ...provided, execution: chooseExecution(provided) };
});

/** Schema of `networks:`: sections by network name. */
export const networksSchema: z.ZodType<Readonly<Record<string, NetworkOptions>>> = z
  .record(z.string(), networkSectionSchema)
  .transform((sections) =>
    Object.fromEntries(
      Object.entries(sections).map(([name, section]): [string, NetworkOptions] => [
        name,
        { ...section, hosts: section.hosts ?? [nameDefaultHost(name)] },
      ]),
    ),
  );

/** Returns the host name of a network that has no option `hosts`. Names below `localhost` are loopback addresses in browsers (RFC 6761). */
export function nameDefaultHost(network: string): string {
  return `${network.toLowerCase()}.localhost`;
}

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
