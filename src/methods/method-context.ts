import type { CallScope, Chain } from '../chain/chain.ts';
import type { RollupFamily } from '../rollup/rollup-family.ts';

/** What methods need to know of the network they answer for. */
export type MethodNetwork = {
  readonly chain: Chain;
  readonly rollup?: RollupFamily;
  /** `linea` serves `l2_estimateGas` as `linea_estimateGas` too. */
  readonly rollupPrefix?: string;
  /** Further methods that the network's nodes answer. */
  readonly passthrough?: ReadonlySet<string>;
  /** What `safe` means on the four methods that do not support it (spec 2.8). */
  readonly safeTag: 'reject' | 'finalized';
};

/** What a method gets besides its parameters. */
export type MethodContext = {
  readonly network: MethodNetwork;
  /** Answer of `web3_clientVersion`. */
  readonly clientVersion: string;
  readonly scope: CallScope;
};
