import type { RequestScope } from '../../util/request-scope.ts';

/** Number, and the method, contract or formula that it comes from. */
type Finding = { readonly from: string; readonly value: bigint };

/** One number of an estimate from two sources, and the range in which the native one is expected. */
export type Comparison = {
  /** Name of the compared number, with its unit. */
  readonly what: string;
  /** Number from the node's own method. */
  readonly native: Finding;
  /** Number that the service computes if nodes lack the native method. */
  readonly fallback: Finding;
  /** Allowed range of the native value, derived in docs/rollups.md. */
  readonly least: bigint;
  readonly most: bigint;
};

/**
 * Requests the data that a comparison needs from the second source.
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
