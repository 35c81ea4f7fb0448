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
  /** Whether the chain has upstream nodes. An embedded chain has no nodes, and answers by itself. */
  readonly hasNodes?: boolean;
  /** Feed of the chain's blocks and logs. */
  readonly feed?: NetworkFeed;
  /** Polling filters, which read from `feed`. */
  readonly filters?: Filters;
  readonly rollup?: RollupFamily;
  /**
   * Prefixes that replace `l2` in `l2_estimateGas` on this network, the main prefix first. For example, the prefix `linea` means that the network
   * serves `linea_estimateGas`. The list of prefixes is undefined until the rollup's family is recognised.
   */
  readonly rollupPrefixes?: readonly string[] | undefined;
  /**
   * Estimate methods that the rollup's nodes implement, and to which the service passes calls. The list of methods is undefined until the rollup's
   * family is recognised.
   */
  readonly nodeEstimates?: readonly string[] | undefined;
  /** Methods that the network serves. If absent, the network serves all methods of the service, and no others. */
  readonly methods?: NetworkMethods;
  /**
   * Rule for clients that may call methods of the network's development node. The rule is absent where the network has no development node, or does
   * not serve its methods.
   */
  readonly development?: DevelopmentRule;
  /** Queue of asynchronous calls on this network. Without a queue, only the limits of each request body apply. */
  readonly slots?: FairQueue;
  /** Rule for the tag `safe` in the four methods that do not support it (spec 2.8). */
  readonly safeTag: 'reject' | 'finalized';
  /** Time limit of one `eth_call` or gas estimate, ms. */
  readonly callTimeoutMs: number;
  /** Whether the key `demo` gives access to this network. The value is true only for built-in and `dev` networks on a loopback listener. */
  readonly allowsDemoKey: boolean;
};
