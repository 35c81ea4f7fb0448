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
  /** Includes the cost of publishing to layer 1, unless that is in the gas already or `l1CostMode` leaves it out. */
  readonly priorityFeePerGas: bigint;
};

/** Result of `rollup_getInfo` (spec 2.7); numbers are plain JSON integers on the wire. */
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
 * Where chains charge for layer 1 apart from gas: `folded` spreads that over the gas as part of the priority fee, so that
 * gas times price is what the account pays; `excluded` leaves it out, so that the price is what a wallet should sign.
 */
export type L1CostMode = 'folded' | 'excluded';

/** What a family answers from, and how it is to answer. */
export type RollupSources = {
  readonly chain: Chain;
  /** Layer 1, for `ethContext`. */
  readonly l1: Pick<BlockReads, 'getHeader'> | undefined;
  /** OP Stack: the node that derives the chain from layer 1. */
  readonly opNode: Pick<Chain, 'request'> | undefined;
  readonly mode: RollupInfo['mode'];
  readonly l1CostMode: L1CostMode;
  /** Linea: address of the L2 message service, for `queueIndex`. */
  readonly messageService: string | undefined;
  /** Is given what compares an estimate by the nodes' own method with the fallback; absent where nothing is to be compared. */
  readonly noteNative?: (compare: Compare) => void;
};

/** Parts of the node information, as they are called on the wire. */
export type InfoField =
  | 'ethContext.blockNumber'
  | 'ethContext.timestamp'
  | 'rollupContext.queueIndex'
  | 'rollupContext.verifiedIndex';

/** Parts of the node information that are 0: whatever the configuration says, or unless it names such a source. */
export type Gaps = { readonly [F in InfoField]?: 'always' | 'l1' | 'messageService' };

/** A family as the table has it. */
export type FamilyRow = {
  /** Name in the configuration. */
  readonly name: string;
  /** What its nodes and contracts do not tell. */
  readonly gaps: Gaps;
  create(sources: RollupSources): RollupFamily;
  /** By the functions of this contract forks are noticed that are not known here. */
  readonly oracle?: KnownOracle;
  /** By which its chains are recognised. */
  readonly marks: readonly FamilyMark[];
};

/** What differs from one rollup stack to the next. Made once for a network, over that network's chain. */
export interface RollupFamily {
  /** @throws ChainError when the execution inside the estimate fails or reverts. */
  estimateGas(request: CallRequest, scope: RequestScope): Promise<GasEstimate>;
  info(scope: RequestScope): Promise<RollupInfo>;
  /**
   * Resolves when it is known which family it is; absent where that is always known.
   * @throws ChainError that says why it is not known, and what to set
   */
  recognise?(scope: RequestScope): Promise<void>;
}
