import type { Chain } from '../chain/chain.ts';
import type { NetworkFeed } from '../feed/feed.ts';
import type { RollupFamily } from '../rollup/rollup-family.ts';
import type { FairQueue } from '../util/fair-queue.ts';
import type { DevelopmentRule } from './development-access.ts';
import type { Filters } from './filters/filters.ts';
import type { NetworkMethods } from './network-methods.ts';

/** A chain together with the policy under which it is served. */
export type Network = {
  readonly name: string;
  readonly chain: Chain;
  /** Whether its chain has nodes that are asked; an embedded chain answers itself. */
  readonly hasNodes?: boolean;
  /** Its blocks and logs as they come. */
  readonly feed?: NetworkFeed;
  /** What clients poll for that feed. */
  readonly filters?: Filters;
  readonly rollup?: RollupFamily;
  /**
   * Prefixes of this network's own names for `l2_estimateGas`, the main one first: `linea` serves `linea_estimateGas`. Undefined for a rollup as
   * long as its family has not been recognised.
   */
  readonly rollupPrefixes?: readonly string[] | undefined;
  /** Estimate methods of the nodes of its family, which are passed on to them. Undefined for a rollup as long as its family has not been recognised. */
  readonly nodeEstimates?: readonly string[] | undefined;
  /** Undefined: all methods of the service, and no others. */
  readonly methods?: NetworkMethods;
  /** Whose methods of its development node it serves; absent: there are none, or they are not served. */
  readonly development?: DevelopmentRule;
  /** Of calls on it that have to be waited for; without it there is no bound but that of bodies. */
  readonly turns?: FairQueue;
  /** What `safe` means on the four methods that do not support it (spec 2.8). */
  readonly safeTag: 'reject' | 'finalized';
  /** Time limit of one eth_call or estimate, milliseconds. */
  readonly callTimeoutMs: number;
  /** Whether the key `demo` opens this network; true for built-in and `dev` networks on a loopback listener only. */
  readonly allowsDemoKey: boolean;
};
