import type { ExecutedBlock } from '../../src/store/chain-writer.ts';
import type { BlockPlan } from './chain-builder.ts';

/** A generated chain: `plans[0]` became `blocks[1]`, `blocks[0]` is genesis. */
export type DevelopmentChain = {
  /** Text of its geth genesis file. */
  readonly genesis: string;
  readonly plans: readonly BlockPlan[];
  readonly blocks: readonly ExecutedBlock[];
};
