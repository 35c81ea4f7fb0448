import type { Revision } from '../../../src/evm/revisions/revisions.ts';
import type { Random } from '../random.ts';
import type { Label, ProgramBuilder } from './program-builder.ts';

/** What every part of the program generator works with. */
export type ProgramContext = {
  readonly random: Random;
  readonly builder: ProgramBuilder;
  readonly revision: Revision;
  /** Accounts that programs know of. */
  readonly addresses: readonly bigint[];
  /** Code that fits behind CREATE; shorter as it gets deeper. */
  readonly createInitCode: () => Uint8Array;
  /** Adds statements that leave the stack as high as it was. */
  readonly emitBlock: (statements: number) => void;
  /** Blocks within blocks that may still be opened. */
  nesting: number;
  /** Functions that were jumped to: their bodies follow the program. */
  readonly functions: Label[];
};
