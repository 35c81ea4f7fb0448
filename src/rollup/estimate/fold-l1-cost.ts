import type { L1CostMode } from '../rollup-family.ts';

/** Charges of a family for a transaction. */
export type FamilyCharges = {
  readonly gasLimit: bigint;
  /** Wei per gas. */
  readonly tip: bigint;
  /** Wei for the whole transaction. */
  readonly l1Cost: bigint;
};

/** Returns the priority fee at which gas times price covers the layer 1 cost, rounded up; without that cost if it is excluded. */
export function foldL1Cost({ gasLimit, tip, l1Cost }: FamilyCharges, mode: L1CostMode): bigint {
  if (mode === 'excluded' || gasLimit === 0n) return tip;
  return tip + (l1Cost + gasLimit - 1n) / gasLimit;
}
