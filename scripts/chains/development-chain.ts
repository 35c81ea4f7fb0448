import type { ExecutedBlock } from '../../src/chains/embedded/store/chain-writer.ts';
import type { BlockPlan } from './chain-builder.ts';

/** The built-in chains, by the names of their folders. */
export type DevelopmentChains = Readonly<Record<'devnet' | 'rollup' | 'op-rollup', DevelopmentChain>>;

/** A generated chain: `plans[0]` became `blocks[1]`, `blocks[0]` is genesis. */
export type DevelopmentChain = {
  /** Text of the geth genesis file. */
  readonly genesis: string;
  readonly plans: readonly BlockPlan[];
  readonly blocks: readonly ExecutedBlock[];
};
