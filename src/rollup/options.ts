import * as z from 'zod';
import { option } from '../util/option.ts';
import { findFamilyMeant } from './family-hint.ts';
import { FAMILY_NAMES } from './family-table.ts';
import type { L1CostMode, RollupInfo } from './rollup-family.ts';

/** `rollup:` section of a network. */
export type RollupOptions = {
  /** Name of a row of the family table; if absent, the family is detected from the chain's answers. */
  readonly family?: string;
  /** Prefix for which the network serves `<prefix>_estimateGas` in addition to `l2_estimateGas`; by default all prefixes of the family. */
  readonly prefix?: string;
  readonly mode: RollupInfo['mode'];
  readonly l1CostMode: L1CostMode;
  /** Layer 1: name of another network, or URL of one of its nodes. */
  readonly l1?: string;
  /** URL of an op-node of this chain. */
  readonly opNode?: string;
  /** Address of the message service contract on this network, in lower case. */
  readonly messageService?: string;
  /** OP Stack: layer 1 contract that stores output roots of this network. */
  readonly anchor?: AnchorOptions;
};

/** Layer 1 contract with output roots, as a lower-case address. Exactly one of the members must be present. */
export type AnchorOptions = {
  /** OptimismPortal; its AnchorStateRegistry is used. */
  readonly portal?: string;
  /** AnchorStateRegistry. */
  readonly registry?: string;
  /** L2OutputOracle, for chains without dispute games. */
  readonly oracle?: string;
};

/** Matches the URLs that `upstreams:` accepts. */
const NODE_URL = /^(https?|wss?):\/\/(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?([/?][^\s#]*)?$/;
const NO_NODE_URL = 'expected the address of a node: http, https, ws or wss, without credentials';

/** Returns whether the text is a URL rather than a network name. */
export function isUrl(text: string): boolean {
  return text.includes('://');
}

const addressSchema = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'expected an address: 0x and 40 hex digits')
  .transform((address) => address.toLowerCase());

const anchorSchema: z.ZodType<AnchorOptions> = z
  .strictObject({
    portal: option('OptimismPortal, whose AnchorStateRegistry is used.', addressSchema.exactOptional()),
    registry: option('AnchorStateRegistry.', addressSchema.exactOptional()),
    oracle: option('L2OutputOracle, for chains without dispute games.', addressSchema.exactOptional()),
  })
  .refine((anchor) => Object.keys(anchor).length === 1, 'expected one of portal, registry and oracle');

/** Prefixes whose `_estimateGas` has another meaning. */
const RESERVED_PREFIXES: ReadonlySet<string> = new Set(['eth', 'l2']);

const familySchema = z.enum(FAMILY_NAMES, {
  error: ({ input }) => {
    const meant = typeof input === 'string' ? findFamilyMeant(input) : undefined;
    const hint = meant === undefined ? '' : `, did you mean ${meant}?`;
    return `expected one of ${FAMILY_NAMES.join(', ')}${hint}`;
  },
});

export const rollupOptionsSchema: z.ZodType<RollupOptions> = z.strictObject({
  family: option(
    'Family of the rollup. Without it, the family is recognised from answers of the nodes.',
    familySchema.exactOptional(),
  ),
  prefix: option(
    'Prefix of `<prefix>_estimateGas`, which is served beside `l2_estimateGas`. By default, the prefixes of the family are used.',
    z
      .string()
      .regex(/^[a-z][a-zA-Z0-9]{0,31}$/, 'expected a method prefix such as linea')
      .refine((prefix) => !RESERVED_PREFIXES.has(prefix), 'this prefix is taken')
      .exactOptional(),
  ),
  mode: option(
    'Role of the nodes, which `rollup_getInfo` reports.',
    z.enum(['sequencer', 'verifier']).default('verifier'),
  ),
  l1CostMode: option(
    'Treatment of a layer 1 cost that is paid in addition to the gas (OP Stack, Mantle, Scroll). `folded` raises priorityFeePerGas so that gas times price is the total cost. `excluded` omits the cost, for wallets that sign with that fee.',
    z.enum(['folded', 'excluded']).default('folded'),
  ),
  l1: option(
    'Layer 1: name of another network of this file, or URL of one of its nodes.',
    z
      .string()
      .min(1)
      .refine((l1) => !isUrl(l1) || NODE_URL.test(l1), NO_NODE_URL)
      .exactOptional(),
  ),
  opNode: option(
    'URL of an op-node (OP Stack, Mantle), which reports how far the chain is derived from layer 1.',
    z.string().regex(NODE_URL, NO_NODE_URL).exactOptional(),
  ),
  messageService: option(
    'Address of the message service contract on this network (Linea), from which `queueIndex` of `rollup_getInfo` is read. Without it, `queueIndex` is 0, which means unknown. On Linea Mainnet it is `0x508Ca82Df566dCD1B0DE8296e70a96332cD644ec` (docs.linea.build).',
    addressSchema.exactOptional(),
  ),
  anchor: option(
    'Contract on layer 1 that stores output roots of this network (OP Stack with verified upstreams): one of `portal`, `registry` and `oracle`.',
    anchorSchema.exactOptional(),
  ),
});
