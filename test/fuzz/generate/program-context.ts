import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import type { Random } from '../random.ts';
import type { Label, ProgramBuilder } from './program-builder.ts';

/** Shared context of all parts of the program generator. */
export type ProgramContext = {
  readonly random: Random;
  readonly builder: ProgramBuilder;
  readonly revision: Revision;
  /** Accounts that programs refer to. */
  readonly addresses: readonly bigint[];
  /** Creates init code for CREATE; it is shorter at greater depth. */
  readonly createInitCode: () => Uint8Array;
  /** Adds statements that leave the stack at its height. */
  readonly emitBlock: (statements: number) => void;
  /** Remaining depth of nested blocks. */
  nesting: number;
  /** Functions that are called: their bodies follow the program. */
  readonly functions: Label[];
};
