import type { CallRequest, CallScope } from '../chain/chain.ts';

/** Result of `l2_estimateGas` (spec 2.6). */
export type GasEstimate = {
  readonly gasLimit: bigint;
  readonly baseFeePerGas: bigint;
  /** Includes the cost of publishing to layer 1. */
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

/** What differs from one rollup stack to the next. Built once for a network, over that network's chain. */
export interface RollupFamily {
  readonly name: string;
  /** @throws ChainError when the execution inside the estimate fails or reverts. */
  estimateGas(request: CallRequest, scope: CallScope): Promise<GasEstimate>;
  info(scope: CallScope): Promise<RollupInfo>;
}
