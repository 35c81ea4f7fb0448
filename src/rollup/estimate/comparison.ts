import type { RequestScope } from '../../util/request-scope.ts';

/** Value, and the method, contract or formula that it comes from. */
type Finding = { readonly from: string; readonly value: bigint };

/** One number of an estimate from two sources, and the range that the second allows for the first. */
export type Comparison = {
  /** Name of the number, with its unit. */
  readonly what: string;
  /** Value of the node's own method. */
  readonly native: Finding;
  /** Value that is computed where nodes lack that method. */
  readonly fallback: Finding;
  /** Range of the native value, derived in docs/rollups.md. */
  readonly least: bigint;
  readonly most: bigint;
};

/**
 * Requests the data that a comparison needs besides the estimate.
 * @returns undefined if the nodes have no second source
 * @throws ChainError if a request fails
 */
export type Compare = (scope: RequestScope) => Promise<Comparison | undefined>;

/** A price changes by at most 1/8 per block of the chain or of layer 1 (EIP-1559). */
const BLOCK_STEP = 8n;

/** Widens a range for a value that was read one block earlier or later. */
export function allowBlockStep(least: bigint, most: bigint): Pick<Comparison, 'least' | 'most'> {
  return { least: least - least / BLOCK_STEP, most: most + most / BLOCK_STEP };
}

/** Returns whether the native value is within its range. */
export function isExpected({ native, least, most }: Comparison): boolean {
  return native.value >= least && native.value <= most;
}
