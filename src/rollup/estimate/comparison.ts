import type { RequestScope } from '../../util/request-scope.ts';

/** Number, and the method, contract or formula that it comes from. */
type Finding = { readonly from: string; readonly value: bigint };

/** One number of an estimate from two sources: the node's own method (native), and the fallback. The fallback gives a range for the native number. */
export type Comparison = {
  /** Name of the compared number, with its unit. */
  readonly what: string;
  /** Number from the node's own method. */
  readonly native: Finding;
  /** Number that the service uses if nodes lack the native method. */
  readonly fallback: Finding;
  /** Allowed range of the native value, derived in docs/rollups.md. */
  readonly least: bigint;
  readonly most: bigint;
};

/**
 * Requests the further data of a comparison, from the fallback.
 * @returns undefined if the nodes have no fallback
 * @throws ChainError if a request fails
 */
export type Compare = (scope: RequestScope) => Promise<Comparison | undefined>;

/** Divisor of the maximum price change: at most 1/8 per block of the chain or of layer 1 (EIP-1559). */
const BLOCK_STEP = 8n;

/** Widens a range of prices by the maximum change in one block, because the two prices may come from adjacent blocks. */
export function allowBlockStep(least: bigint, most: bigint): Pick<Comparison, 'least' | 'most'> {
  return { least: least - least / BLOCK_STEP, most: most + most / BLOCK_STEP };
}

/** Returns whether the native value is within its range. */
export function isExpected({ native, least, most }: Comparison): boolean {
  return native.value >= least && native.value <= most;
}
