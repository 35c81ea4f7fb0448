import type { BlockReads, Chain } from '../chain/chain.ts';
import type { CallRequest } from '../chain/requests.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { Compare } from './estimate/comparison.ts';
import type { FamilyMark } from './evidence.ts';
import type { KnownOracle } from './unknown-functions.ts';

/** Result of `l2_estimateGas` (spec 2.6). */
export type GasEstimate = {
  readonly gasLimit: bigint;
  readonly baseFeePerGas: bigint;
  /** Includes the cost of publishing to layer 1, unless gas includes it already or `l1CostMode` excludes it. */
  readonly priorityFeePerGas: bigint;
};

/** Result of `rollup_getInfo` (spec 2.7); numbers are JSON integers on the wire. */
export type RollupInfo = {
  readonly mode: 'sequencer' | 'verifier';
  readonly syncing: boolean;
  readonly ethContext: { readonly blockNumber: bigint; readonly timestamp: bigint };
  readonly rollupContext: {
    readonly queueIndex: bigint;
    readonly index: bigint;
    readonly verifiedIndex: bigint;
  };
};

/**
 * Treatment of a layer 1 cost that is charged separately from gas: `folded` spreads it over the gas as part of the priority fee, so that gas times
 * price is what the account pays; `excluded` leaves it out, so that the price is what a wallet should sign.
 */
export type L1CostMode = 'folded' | 'excluded';

/** Sources and settings of a family's answers. */
export type RollupSources = {
  readonly chain: Chain;
  /** Layer 1 blocks, for `ethContext`. */
  readonly l1: Pick<BlockReads, 'getHeader'> | undefined;
  /** OP Stack: node that derives the chain from layer 1. */
  readonly opNode: Pick<Chain, 'request'> | undefined;
  readonly mode: RollupInfo['mode'];
  readonly l1CostMode: L1CostMode;
  /** Linea: address of the L2 message service, for `queueIndex`. */
  readonly messageService: string | undefined;
  /** Receives a comparison of the nodes' own estimate with the fallback; absent if none is wanted. */
  readonly noteNative?: (compare: Compare) => void;
};

/** Members of the node information by their wire names. */
export type InfoField =
  | 'ethContext.blockNumber'
  | 'ethContext.timestamp'
  | 'rollupContext.queueIndex'
  | 'rollupContext.verifiedIndex';

/** Members of the node information that are 0: always, or unless the configuration has this source. */
export type Gaps = { readonly [F in InfoField]?: 'always' | 'l1' | 'messageService' };

/** Row of the family table. */
export type FamilyRow = {
  /** Name in the configuration. */
  readonly name: string;
  /** Members that its nodes and contracts do not provide. */
  readonly gaps: Gaps;
  create(sources: RollupSources): RollupFamily;
  /** Contract whose functions reveal unknown forks. */
  readonly oracle?: KnownOracle;
  /** Marks that identify the family's chains. */
  readonly marks: readonly FamilyMark[];
};

/** Behavior of a rollup stack. Created once per network, over that network's chain. */
export interface RollupFamily {
  /** @throws ChainError if the execution inside the estimate fails or reverts */
  estimateGas(request: CallRequest, scope: RequestScope): Promise<GasEstimate>;
  info(scope: RequestScope): Promise<RollupInfo>;
  /**
   * Resolves once the family is known; absent if it always is.
   * @throws ChainError with the reason why it is unknown, and what to configure
   */
  recognise?(scope: RequestScope): Promise<void>;
}
