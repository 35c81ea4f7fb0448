import { z } from 'zod';
import {
  type PoolOptions,
  passthroughSchema,
  poolOptionsSchema,
  type UpstreamOptions,
  upstreamsSchema,
} from '../upstream/options.ts';
import { durationSchema } from '../util/duration-schema.ts';

/** Chains that come with the program. */
export type BuiltinChain = 'devnet' | 'rollup';

/** `rollup:` of a network. */
export type RollupOptions = {
  readonly family: 'linea';
  /** The network serves `<prefix>_estimateGas` beside `l2_estimateGas`. */
  readonly prefix: string;
  readonly mode: 'sequencer' | 'verifier';
  /** Name of the network that is this one's layer 1. */
  readonly l1?: string;
  /** Address of the message service contract on this network, lower case. */
  readonly messageService?: string;
};

/** One row of `networks:`. Exactly one of `builtin`, `embedded` and `upstreams` is given. */
export type NetworkOptions = {
  /** Host names, lower case; `*.name` means every name below. */
  readonly hosts: readonly string[];
  readonly builtin?: BuiltinChain;
  readonly embedded?: { readonly data: string };
  readonly upstreams?: readonly UpstreamOptions[];
  /** Of `upstreams`. */
  readonly pool: PoolOptions;
  /** Further methods that the upstreams answer. */
  readonly passthrough?: ReadonlySet<string>;
  readonly safeTag: 'reject' | 'finalized';
  /** Time limit of one eth_call or estimate, milliseconds. */
  readonly callTimeout: number;
  readonly rollup?: RollupOptions;
};

const HOST_PATTERN = /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;
const IPV6_PATTERN = /^[0-9a-f:.]*:[0-9a-f:.]*$/;

const hostSchema = z
  .string()
  .min(1)
  .max(253)
  .transform((host) => host.toLowerCase())
  .refine((host) => HOST_PATTERN.test(host) || IPV6_PATTERN.test(host), {
    error: 'expected a host name without port, or *.name for every name below it',
  });

const rollupOptionsSchema: z.ZodType<RollupOptions> = z.strictObject({
  family: z.enum(['linea']),
  prefix: z
    .string()
    .regex(/^[a-z][a-zA-Z0-9]{0,31}$/, 'expected a method prefix such as linea')
    .refine((prefix) => !RESERVED_PREFIXES.has(prefix), 'this prefix is taken'),
  mode: z.enum(['sequencer', 'verifier']).default('verifier'),
  l1: z.string().exactOptional(),
  messageService: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'expected an address: 0x and 40 hex digits')
    .transform((address) => address.toLowerCase())
    .exactOptional(),
});

/** Prefixes whose `_estimateGas` means something else. */
const RESERVED_PREFIXES: ReadonlySet<string> = new Set(['eth', 'l2']);

/** One row of `networks:`. */
export const networkOptionsSchema: z.ZodType<NetworkOptions> = z.strictObject({
  hosts: z.array(hostSchema).min(1).max(1_000),
  builtin: z.enum(['devnet', 'rollup']).exactOptional(),
  embedded: z.strictObject({ data: z.string().min(1) }).exactOptional(),
  upstreams: upstreamsSchema.exactOptional(),
  pool: poolOptionsSchema,
  passthrough: passthroughSchema.exactOptional(),
  safeTag: z.enum(['reject', 'finalized']).default('reject'),
  callTimeout: durationSchema
    .refine((ms) => ms >= 1 && ms <= 600_000, 'expected a duration from 1ms to 10m')
    .prefault('5s'),
  rollup: rollupOptionsSchema.exactOptional(),
});
