import { z } from 'zod';
import type { L1CostMode, RollupInfo } from './rollup-family.ts';

/** Names of the families, as configuration gives them. */
export const FAMILY_NAMES = [
  'linea',
  'op-stack',
  'mantle',
  'arbitrum',
  'scroll',
  'zksync',
  'polygon-zkevm',
  'taiko',
  'l2geth',
  'ethereum',
] as const;

export type FamilyName = (typeof FAMILY_NAMES)[number];

/** `rollup:` of a network. */
export type RollupOptions = {
  readonly family: FamilyName;
  /** The network serves `<prefix>_estimateGas` beside `l2_estimateGas`. */
  readonly prefix: string;
  readonly mode: RollupInfo['mode'];
  readonly l1CostMode: L1CostMode;
  /** Name of the network that is this one's layer 1. */
  readonly l1?: string;
  /** Address of the message service contract on this network, lower case. */
  readonly messageService?: string;
};

/** Prefixes whose `_estimateGas` means something else. */
const RESERVED_PREFIXES: ReadonlySet<string> = new Set(['eth', 'l2']);

export const rollupOptionsSchema: z.ZodType<RollupOptions> = z.strictObject({
  family: z.enum(FAMILY_NAMES),
  prefix: z
    .string()
    .regex(/^[a-z][a-zA-Z0-9]{0,31}$/, 'expected a method prefix such as linea')
    .refine((prefix) => !RESERVED_PREFIXES.has(prefix), 'this prefix is taken'),
  mode: z.enum(['sequencer', 'verifier']).default('verifier'),
  l1CostMode: z.enum(['folded', 'excluded']).default('folded'),
  l1: z.string().exactOptional(),
  messageService: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'expected an address: 0x and 40 hex digits')
    .transform((address) => address.toLowerCase())
    .exactOptional(),
});
