import type { RequestScope } from '../../util/request-scope.ts';

/** A value, and the method, contract or formula that it is from. */
type Finding = { readonly from: string; readonly value: bigint };

/** A number of an estimate that was found in two ways, and what the second one allows the first one to be. */
export type Comparison = {
  /** Name of the number, with its unit. */
  readonly what: string;
  /** As the node's own method has it. */
  readonly native: Finding;
  /** As it is found where nodes lack that method. */
  readonly fallback: Finding;
  /** Bounds of the native value, which docs/rollups.md derives. */
  readonly least: bigint;
  readonly most: bigint;
};

/**
 * Asks for what a comparison needs beside the estimate.
 * @returns undefined where the nodes have no second way
 * @throws ChainError
 */
export type Compare = (scope: RequestScope) => Promise<Comparison | undefined>;

/** The part of a price that it moves by, at the most, from one block of the chain or of layer 1 to the next (EIP-1559). */
const BLOCK_STEP = 8n;

/** Bounds of a value that was read a block earlier or later. */
export function allowBlockStep(least: bigint, most: bigint): Pick<Comparison, 'least' | 'most'> {
  return { least: least - least / BLOCK_STEP, most: most + most / BLOCK_STEP };
}

/** Whether the native value is within its bounds. */
export function isExpected({ native, least, most }: Comparison): boolean {
  return native.value >= least && native.value <= most;
}
