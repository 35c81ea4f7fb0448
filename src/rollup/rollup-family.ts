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
  /** Priority fee. The fee includes the cost of publishing to layer 1, unless `gasLimit` includes that cost or `l1CostMode` excludes it. */
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
 * Treatment of a layer 1 cost that is charged in addition to gas. `folded` spreads the cost over the gas and adds it to the priority fee; gas times
 * price is then the amount that the account pays. `excluded` omits the cost; the price is then the price that a wallet should sign.
 */
export type L1CostMode = 'folded' | 'excluded';

/** Sources and settings for the answers of a family. */
export type RollupSources = {
  readonly chain: Chain;
  /** Layer 1 blocks, from which `ethContext` is read. */
  readonly l1: Pick<BlockReads, 'getHeader'> | undefined;
  /** OP Stack only: node that derives the chain from layer 1. */
  readonly opNode: Pick<Chain, 'request'> | undefined;
  readonly mode: RollupInfo['mode'];
  readonly l1CostMode: L1CostMode;
  /** Linea only: address of the L2 message service, from which `queueIndex` is read. */
  readonly messageService: string | undefined;
  /** Receives a comparison of the nodes' own estimate with the fallback; absent if no comparison is wanted. */
  readonly noteNative?: (compare: Compare) => void;
};

/** Members of the node information by their wire names. */
export type InfoField =
  | 'ethContext.blockNumber'
  | 'ethContext.timestamp'
  | 'rollupContext.queueIndex'
  | 'rollupContext.verifiedIndex';

/** Members of the node information that are always 0, or that are 0 unless the configuration has the named source. */
export type Gaps = { readonly [F in InfoField]?: 'always' | 'l1' | 'messageService' };

/** Row of the family table. */
export type FamilyRow = {
  /** Name of the family in the configuration. */
  readonly name: string;
  /** Members of the node information that the family's nodes and contracts do not provide. */
  readonly gaps: Gaps;
  create(sources: RollupSources): RollupFamily;
  /** Contract whose functions are compared with the known functions to detect unknown forks. */
  readonly oracle?: KnownOracle;
  /** Marks that identify the family's chains. */
  readonly marks: readonly FamilyMark[];
};

/** Behavior of a rollup stack. Created once per network, for the chain of that network. */
export interface RollupFamily {
  /** Estimates the gas and fees of a call. @throws ChainError if the execution in the estimate fails or reverts */
  estimateGas(request: CallRequest, scope: RequestScope): Promise<GasEstimate>;
  info(scope: RequestScope): Promise<RollupInfo>;
  /**
   * Waits until the family is known; absent if it is always known.
   * @throws ChainError with the reason why the family is unknown, and with the option to configure
   */
  recognise?(scope: RequestScope): Promise<void>;
}
