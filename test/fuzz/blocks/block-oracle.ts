import type { BlockCase } from './block-case.ts';
import type { BlockOutcome } from './block-outcome.ts';

/** Where an oracle and the engine differ, and are left so. */
export type KnownDifference = {
  readonly reason: string;
  readonly pattern: RegExp;
  /** What must hold of the block. @param address the first group of the pattern */
  readonly when: (blockCase: BlockCase, address: string) => boolean;
};

/** Another implementation that executes blocks. */
export interface BlockOracle {
  readonly name: string;
  /** Blocks that it executes at the same time. */
  readonly concurrency: number;
  readonly known: readonly KnownDifference[];
  /** The block with what the oracle has no rules for taken out; the engine gets the same. */
  adapt(blockCase: BlockCase): BlockCase;
  /** @throws Error when the oracle does not run, which is no outcome */
  run(blockCase: BlockCase): Promise<BlockOutcome>;
}

/** Why a difference is left so; undefined where it is a fault. */
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
