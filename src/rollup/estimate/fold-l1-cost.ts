import type { L1CostMode } from '../rollup-family.ts';

/** Gas and charges of a transaction. */
export type FamilyCharges = {
  readonly gasLimit: bigint;
  /** Priority fee, wei per gas. */
  readonly tip: bigint;
  /** Layer 1 cost of the whole transaction, wei. */
  readonly l1Cost: bigint;
};

/** Returns the priority fee at which gas times price covers the layer 1 cost, rounded up. If the mode is `excluded`, returns the tip. */
export function foldL1Cost({ gasLimit, tip, l1Cost }: FamilyCharges, mode: L1CostMode): bigint {
  if (mode === 'excluded' || gasLimit === 0n) return tip;
  return tip + (l1Cost + gasLimit - 1n) / gasLimit;
}
