import type { L1CostMode } from '../rollup-family.ts';

/** What a family charges for a transaction beside its gas. */
export type Charges = {
  readonly gasLimit: bigint;
  /** Wei per gas. */
  readonly tip: bigint;
  /** Wei for the whole transaction. */
  readonly l1Cost: bigint;
};

/** The priority fee that makes gas times price cover the cost of layer 1, rounded up; without that cost where it is excluded. */
export function foldL1Cost({ gasLimit, tip, l1Cost }: Charges, mode: L1CostMode): bigint {
  if (mode === 'excluded' || gasLimit === 0n) return tip;
  return tip + (l1Cost + gasLimit - 1n) / gasLimit;
}
