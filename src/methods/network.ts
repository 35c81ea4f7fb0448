import type { Chain } from '../chain/chain.ts';
import type { NetworkFeed } from '../feed/feed.ts';
import type { RollupFamily } from '../rollup/rollup-family.ts';
import type { FairQueue } from '../util/fair-queue.ts';
import type { DevelopmentRule } from './development-access.ts';
import type { Filters } from './filters/filters.ts';
import type { NetworkMethods } from './network-methods.ts';

/** Chain, and the policy under which the service serves it. */
export type Network = {
  readonly name: string;
  readonly chain: Chain;
  /** Whether the chain has upstream nodes. An embedded chain has none, and answers by itself. */
  readonly hasNodes?: boolean;
  /** Feed of the chain's blocks and logs. */
  readonly feed?: NetworkFeed;
  /** Polling filters, which read from `feed`. */
  readonly filters?: Filters;
  readonly rollup?: RollupFamily;
  /**
   * Prefixes of this network's names for `l2_estimateGas`, the main prefix first. With `linea` the network serves `linea_estimateGas`. Undefined for a rollup
   * whose family is not recognised yet.
   */
  readonly rollupPrefixes?: readonly string[] | undefined;
  /** Estimate methods that the nodes of the rollup family have, and that are passed on to them. Undefined for a rollup whose family is not recognised yet. */
  readonly nodeEstimates?: readonly string[] | undefined;
  /** Methods that the network serves. Undefined means all methods of the service, and no others. */
  readonly methods?: NetworkMethods;
  /**
   * Rule for clients that may call methods of the network's development node. Absent where the network has no development node, or does not serve its methods.
   */
  readonly development?: DevelopmentRule;
  /** Queue of asynchronous calls on this network. Without a queue, only the limits of bodies apply. */
  readonly slots?: FairQueue;
  /** Treatment of the tag `safe` by the four methods that do not support it (spec 2.8). */
  readonly safeTag: 'reject' | 'finalized';
  /** Time limit of one `eth_call` or gas estimate, ms. */
  readonly callTimeoutMs: number;
  /** Whether the key `demo` gives access to this network. True only for built-in and `dev` networks on a loopback listener. */
  readonly allowsDemoKey: boolean;
};
