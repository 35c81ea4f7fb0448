import type { BlockCase } from './block-case.ts';
import type { BlockOutcome } from './block-outcome.ts';

/** An accepted difference between an oracle and the engine. */
export type KnownDifference = {
  readonly reason: string;
  readonly pattern: RegExp;
  /** Condition on the block. @param address first group of the pattern */
  readonly when: (blockCase: BlockCase, address: string) => boolean;
};

/** Another implementation that executes blocks. */
export interface BlockOracle {
  readonly name: string;
  /** Number of blocks that it executes concurrently. */
  readonly concurrency: number;
  readonly known: readonly KnownDifference[];
  /** Removes parts of the block that the oracle has no rules for; the engine executes the same block. */
  adapt(blockCase: BlockCase): BlockCase;
  /** @throws Error when the oracle does not run; this is not an outcome */
  run(blockCase: BlockCase): Promise<BlockOutcome>;
}

/** Returns the reason for an accepted difference; undefined where the difference is a fault. */
export function explainDifference(
  difference: string,
  blockCase: BlockCase,
  known: readonly KnownDifference[],
): string | undefined {
  return known.find(({ pattern, when }) => {
    const match = pattern.exec(difference);
    return match !== null && when(blockCase, match[1] ?? '');
  })?.reason;
}
