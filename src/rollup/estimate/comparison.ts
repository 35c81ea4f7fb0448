import type { RequestScope } from '../../util/request-scope.ts';

/** Value, and the method, contract or formula that it was obtained from. */
type Finding = { readonly from: string; readonly value: bigint };

/** One number of an estimate from two sources, and the range that the second source allows for the number from the first. */
export type Comparison = {
  /** Name of the compared number, with its unit. */
  readonly what: string;
  /** Number from the node's own method. */
  readonly native: Finding;
  /** Number that is computed if nodes lack that method. */
  readonly fallback: Finding;
  /** Allowed range of the native value, derived in docs/rollups.md. */
  readonly least: bigint;
  readonly most: bigint;
};

/**
 * Requests the further data for a comparison.
 * @returns undefined if the nodes have no second source
 * @throws ChainError if a request fails
 */
export type Compare = (scope: RequestScope) => Promise<Comparison | undefined>;

/** Divisor of the maximum price change: at most 1/8 per block of the chain or of layer 1 (EIP-1559). */
const BLOCK_STEP = 8n;

/** Widens a range to allow for a value that was read one block earlier or later. */
export function allowBlockStep(least: bigint, most: bigint): Pick<Comparison, 'least' | 'most'> {
  return { least: least - least / BLOCK_STEP, most: most + most / BLOCK_STEP };
}

/** Returns whether the native value is within its range. */
export function isExpected({ native, least, most }: Comparison): boolean {
  return native.value >= least && native.value <= most;
}
