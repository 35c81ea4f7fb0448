import * as z from 'zod';
import { durationBetween } from '../util/duration-schema.ts';
import { option } from '../util/option.ts';
import { sizeBetween } from '../util/size-schema.ts';
import type { Budget } from './spend/budget.ts';
import { budgetSchema, pricesSchema } from './spend/options.ts';
import type { Prices } from './spend/price-table.ts';
import type { BatchOptions } from './transport/transport.ts';

/** One row of `upstreams:`. Secrets in the row come from the environment and are never logged. */
export type UpstreamOptions = {
  /** Name of the node in logs and in `portcullis doctor`, by default the host of its URL and a number. */
  readonly name?: string;
  /** Address of the node: `http:`, `https:`, `ws:` or `wss:`. */
  readonly url: string;
  /** WebSocket address of the same node for announcements of heads, if `url` is HTTP. */
  readonly heads?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bearer?: string;
  readonly basic?: { readonly user: string; readonly password: string };
  /**
   * Operator of the node: all nodes of one operator have one vote. The default operator is the host of the URL; on loopback, the host with its port.
   */
  readonly operator?: string;
  /**
   * Nodes with a lower tier number are used first and decide the head. Nodes of a tier are used only if no node of a lower tier number can be used.
   */
  readonly tier: number;
  /** Maximum number of concurrent connections (HTTP). */
  readonly connections: number;
  /** Maximum number of calls in flight. */
  readonly inFlight: number;
  /** Limits for calls that share a request (HTTP). */
  readonly batch: BatchOptions;
  /** Credits that a call costs at the provider of the node. Calls to a node without prices are free. */
  readonly credits?: Prices;
  /** Maximum credits in a period. Requires `credits`. */
  readonly budget?: Budget;
};

/**
 * `verify:` of a network. `auto`: every kind of data that the network's blocks have shown to be verifiable is verified; answers about other data are
 * compared between nodes. `require`: answers about blocks and state are verified or refused, and calls are executed locally. `off`: answers are only
 * compared between nodes.
 */
export type VerifyMode = 'auto' | 'require' | 'off';

export const DEFAULT_VERIFY: VerifyMode = 'auto';

export const verifySchema: z.ZodType<VerifyMode> = z.enum(['auto', 'require', 'off']);

/**
 * Default number of blocks: about six minutes of Ethereum, or one minute of a rollup. Clients that follow the head request ranges of this length. If
 * all 32 blocks are full, the nodes send about 40 MB.
 */
export const DEFAULT_VERIFY_LOG_BLOCKS = 32;

/** `verifyLogBlocks:` of a network: maximum number of blocks of an `eth_getLogs` range whose logs are compared with the receipts of its blocks. */
export const verifyLogBlocksSchema: z.ZodType<number> = z.int().min(0).max(512);

/** Default percentage of compared answers. */
export const DEFAULT_VERIFY_CALLS = 1;

/** `verifyCalls:` of a network: percentage of the nodes' answers to calls that are compared with local execution. */
export const verifyCallsSchema: z.ZodType<number> = z.number().min(0).max(100);

/**
 * Values of the option `execution:` of a network, which selects where calls are executed. `node`: nodes execute calls. `local`: calls are executed
 * locally on state that nodes send with Merkle proofs. `auto`: like `local`, once a comparison with the answers of nodes has found no difference.
 */
export type ExecutionMode = 'node' | 'local' | 'auto';

export const executionModeSchema: z.ZodType<ExecutionMode> = z.enum(['node', 'local', 'auto']);

/** `checkpoint:` of a network: a block that is assumed to be canonical, whatever the nodes report. */
export type Checkpoint = { readonly number: bigint; readonly hash: string };

const blockHashSchema = z
  .string({
    error: ({ input }) =>
      typeof input === 'number'
        ? 'expected a block hash in quotes: without them YAML reads 0x… as a number'
        : undefined,
  })
  .regex(/^0x[0-9a-fA-F]{64}$/, 'expected a block hash: 0x and 64 hex digits')
  .transform((hash) => hash.toLowerCase());

export const checkpointSchema: z.ZodType<Checkpoint> = z.strictObject({
  number: option(
    'Number of the block.',
    z
      .union(
        [z.int().min(0), z.string().regex(/^0x[0-9a-fA-F]{1,16}$/)],
        'expected a block number, in decimal or hex',
      )
      .transform((value) => BigInt(value)),
  ),
  hash: option('Hash of the block, in quotes.', blockHashSchema),
});

/** Block that a network serves for a tag that its nodes do not know. */
export type TagSubstitute = 'latest' | 'safe' | 'finalized' | 'none';

/** `pool:` of a network. Durations are milliseconds. */
export type PoolOptions = {
  /** Expected identity of the chain; by default the identity that the upstreams agree on at the start. */
  readonly chainId?: bigint;
  readonly genesisHash?: string;
  /** Fraction of the voting upstreams that must have a block before it is served. */
  readonly headShare: 'majority' | number;
  /**
   * Bounds of lag: a node has no vote on the head if it is behind by more than `maxLagBlocks`, and the timestamps differ by more than `maxLagTime`.
   */
  readonly maxLagBlocks: number;
  readonly maxLagTime: number;
  /** Time for which a head is still served although no healthy node has it. */
  readonly headAge: number;
  /** Whether the network accepts lower blocks and another genesis block from its only node (a development node). */
  readonly development: boolean;
  /** Average time between blocks; by default it is measured. */
  readonly blockTime?: number;
  /** Minimum time between two polls for the head. */
  readonly pollInterval: number;
  /** Tags that the nodes do not know, with their substitutes. */
  readonly tags: Readonly<Partial<Record<'safe' | 'finalized', TagSubstitute>>>;
  readonly connectTimeout: number;
  readonly answerTimeout: number;
  readonly stallTimeout: number;
  /** Maximum size of a node's response. */
  readonly answerBytes: number;
  /** Size above which a result is streamed to the client while it arrives, bytes. */
  readonly streamBytes: number;
  /** Maximum number of retries over all upstreams after every upstream has failed. */
  readonly retries: number;
  /** Percentage of calls that may be hedged; 0 switches hedging off. */
  readonly hedgePercent: number;
  /** Whether answers of this network are cached. */
  readonly cache: boolean;
};

const DEFAULT_TIER = 1;

/** Schema of a node's address. */
export const urlSchema = (protocols: readonly string[]): z.ZodType<string> =>
  z.string().superRefine((text, context) => {
    const problem = findUrlProblem(text, protocols);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

function findUrlProblem(text: string, protocols: readonly string[]): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !protocols.includes(url.protocol)) {
    return `expected a URL that starts with ${protocols.join('// or ')}//`;
  }
  if (url.username !== '' || url.password !== '')
    return 'the URL must not have credentials: set basic: instead';
  return url.hash === '' ? undefined : 'the URL must not have a #fragment';
}

const UPSTREAM_PROTOCOLS = ['http:', 'https:', 'ws:', 'wss:'];
/** Headers that cannot be configured, because the transport sets them. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'content-type',
  'transfer-encoding',
  'connection',
  'upgrade',
  'accept-encoding',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'proxy-authorization',
  'proxy-connection',
]);

/** Headers that are sent with every request to a node. */
export const headersSchema: z.ZodType<Record<string, string>> = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'expected the name of a header')
      .refine(
        (name) => !RESERVED_HEADERS.has(name.toLowerCase()),
        'this header is set by the service and cannot be configured',
      )
      .refine((name) => !/^sec-/i.test(name), 'this header is set by the service and cannot be configured'),
    z.string().regex(/^[\t\x20-\x7e]*$/, 'expected printable ASCII'),
  )
  .refine((headers) => Object.keys(headers).length <= 64, 'more than 64 headers');

const upstreamRowSchema = z
  .strictObject({
    name: option(
      'Name of the node in logs and in `portcullis doctor`. By default, it is the host of the URL and a number.',
      z
        .string()
        .regex(/^[\w.:-]{1,64}$/, 'expected a name of letters, digits and . : _ -')
        .exactOptional(),
    ),
    url: option('Address of the node: http, https, ws or wss.', urlSchema(UPSTREAM_PROTOCOLS)),
    heads: option(
      'WebSocket address of the same node for announcements of heads. Without it, an HTTP node is polled.',
      urlSchema(['ws:', 'wss:']).exactOptional(),
    ),
    headers: option('Headers of every request to the node.', headersSchema.exactOptional()),
    bearer: option(
      'Bearer token for the node.',
      z
        .string()
        .regex(/^[\x21-\x7e]+$/, 'expected a token')
        .exactOptional(),
    ),
    basic: option(
      'User and password for the node.',
      z
        .strictObject({
          user: option('User name.', z.string().min(1)),
          password: option('Password.', z.string()),
        })
        .exactOptional(),
    ),
    operator: option(
      'Operator of the node: all nodes of one operator have one vote. By default, it is the host of the URL, and on loopback the host with its port.',
      z
        .string()
        .regex(/^[\w.:-]{1,64}$/, 'expected a name of letters, digits and . : _ -')
        .exactOptional(),
    ),
    tier: option(
      'Rank of the node. Nodes of tier 2 get requests and votes on the head only if no node of tier 1 can be used.',
      z.int().min(1).max(100).default(DEFAULT_TIER),
    ),
    connections: option(
      'Maximum number of HTTP connections to the node.',
      z.int().min(1).max(10_000).default(64),
    ),
    inFlight: option(
      'Maximum number of calls in flight to the node.',
      z.int().min(1).max(1_000_000).default(1_024),
    ),
    batch: option(
      'Limits of calls that share one HTTP request.',
      z
        .strictObject({
          items: option(
            'Maximum number of calls in one request. 1 disables batches.',
            z.int().min(1).max(1_000).default(100),
          ),
          callers: option(
            'Whether calls of several clients share a request: `always`, `never`, or `auto` where measured latencies of the node favour it.',
            z.enum(['auto', 'always', 'never']).default('auto'),
          ),
        })
        .prefault({}),
    ),
    credits: option(
      'Credits that a call costs at the provider of the node, by method or by namespace (`debug_*`); `default` applies to all other methods. Cheaper nodes that serve well are preferred. Calls to a node without `credits` are free.',
      pricesSchema.exactOptional(),
    ),
    budget: option(
      'Maximum credits of the node in a period. When they are used up, the node gets no calls of clients that another node can answer.',
      budgetSchema.exactOptional(),
    ),
  })
  .refine((row) => row.budget === undefined || row.credits !== undefined, {
    path: ['budget'],
    error: 'needs credits, which says what a call costs',
  })
  .refine((row) => row.bearer === undefined || row.basic === undefined, {
    path: ['basic'],
    error: 'has both bearer and basic, expected one of them',
  });

/** `upstreams:` of a network; a row may be only a URL, with defaults for the rest. */
export const upstreamsSchema: z.ZodType<readonly UpstreamOptions[]> = z
  .array(z.preprocess((row) => (typeof row === 'string' ? { url: row } : row), upstreamRowSchema))
  .min(1)
  .max(100);

const tagSubstitute = z.enum(['latest', 'safe', 'finalized', 'none']);

const chainIdSchema: z.ZodType<bigint> = z
  .union(
    [z.int().min(1), z.string().regex(/^(0x[0-9a-fA-F]{1,64}|[1-9]\d{0,77})$/)],
    'expected a number above 0, in decimal or hex',
  )
  .transform((value) => BigInt(value));

const poolRowSchema: z.ZodType<PoolOptions> = z
  .strictObject({
    chainId: option(
      'Chain id of the network. By default, it is the id that more than half of the configured operators report. `verify: require` needs it.',
      chainIdSchema.exactOptional(),
    ),
    genesisHash: option('Hash of the genesis block, in quotes.', blockHashSchema.exactOptional()),
    headShare: option(
      'Fraction of the healthy nodes that must have a block before it is served, or `majority`.',
      z
        .union(
          [z.literal('majority'), z.number().gt(0).max(1)],
          'expected majority, or a share above 0 and up to 1',
        )
        .default('majority'),
    ),
    maxLagBlocks: option(
      'Number of blocks by which a node may be behind. A node that exceeds `maxLagBlocks` and `maxLagTime` has no vote on the head.',
      z.int().min(1).max(1_000_000).default(8),
    ),
    maxLagTime: option(
      'Difference of block timestamps by which a node may be behind.',
      durationBetween('1s', '24h').prefault('30s'),
    ),
    headAge: option(
      'Time for which a head is still served although no healthy node has it.',
      durationBetween('1s', '24h').prefault('60s'),
    ),
    development: option(
      'Whether the only node is a development node (anvil, `geth --dev`), which starts with another genesis block each time. Its answers are neither cached nor verified.',
      z.boolean().default(false),
    ),
    blockTime: option(
      'Average time between two blocks. By default, it is measured.',
      durationBetween('10ms', '1h').exactOptional(),
    ),
    pollInterval: option(
      'Minimum time between two polls for the head.',
      durationBetween('10ms', '60s').prefault('250ms'),
    ),
    tags: option(
      'Blocks that are served for tags that the nodes do not know, such as `{ safe: finalized }`.',
      z
        .strictObject({
          safe: option('Block that is served for `safe`.', tagSubstitute.exactOptional()),
          finalized: option('Block that is served for `finalized`.', tagSubstitute.exactOptional()),
        })
        .default({}),
    ),
    connectTimeout: option(
      'Maximum duration of a connection attempt.',
      durationBetween('10ms', '60s').prefault('2s'),
    ),
    answerTimeout: option(
      'Maximum time from a request to the first byte of its answer.',
      durationBetween('10ms', '10m').prefault('10s'),
    ),
    stallTimeout: option(
      'Maximum time between two pieces of 4 KiB of an answer.',
      durationBetween('10ms', '10m').prefault('10s'),
    ),
    answerBytes: option(
      'Maximum size of an answer of a node.',
      sizeBetween('1KiB', '1GiB').prefault('128MiB'),
    ),
    streamBytes: option(
      'Size above which a result is sent to the client while it arrives.',
      sizeBetween('1KiB', '64MiB').prefault('1MiB'),
    ),
    retries: option(
      'Maximum number of retries over all nodes after every node has failed.',
      z.int().min(0).max(10).default(2),
    ),
    hedgePercent: option(
      'Maximum percentage of calls that are sent to a second node because the first node is slow. 0 disables this.',
      z.number().min(0).max(100).default(5),
    ),
    cache: option('Whether answers of this network are cached.', z.boolean().default(true)),
  })
  .refine((pool) => !isCircular(pool.tags), {
    path: ['tags'],
    error: 'safe and finalized must not substitute each other',
  });

/** `pool:` of a network. */
export const poolOptionsSchema: z.ZodType<PoolOptions> = poolRowSchema.prefault({});

function isCircular({ safe, finalized }: PoolOptions['tags']): boolean {
  return safe === 'safe' || finalized === 'finalized' || (safe === 'finalized' && finalized === 'safe');
}
