import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { isAtLeast } from '../../support/is-at-least.ts';
import type { Random } from '../random.ts';
import { emitAmsterdamDeed } from './amsterdam-deeds.ts';
import { emitCall, emitCreation, emitPrecompileCall } from './calls.ts';
import { emitControlFlow, emitFunctions } from './control-flow.ts';
import { emitEnd, emitHazard } from './hazards.ts';
import { randomInitCode } from './init-code.ts';
import { ProgramBuilder } from './program-builder.ts';
import type { ProgramContext } from './program-context.ts';
import { emitDeed, emitPlainStatement, foldStack, showMemory } from './statements.ts';

const MAX_NESTING = 3;
/** Depth of programs within the init code of programs. */
const MAX_CREATION_DEPTH = 2;
const MAX_STATEMENTS = 24;

function emitStatement(context: ProgramContext): void {
  const { random, nesting, revision } = context;
  const emit = random.pickWeighted([
    [800, emitPlainStatement],
    [nesting > 0 ? 220 : 0, emitControlFlow],
    [80, emitCall],
    [30, emitPrecompileCall],
    [30, emitCreation],
    [3, emitHazard],
    [isAtLeast(revision, 'amsterdam') ? 150 : 0, emitAmsterdamDeed],
  ]);
  emit(context);
}

function emitBlock(context: ProgramContext, statements: number): void {
  const { builder } = context;
  const outerFloor = builder.floor;
  const height = builder.height;
  builder.floor = height;
  for (let i = 0; i < statements; i++) emitStatement(context);
  foldStack(context, height);
  builder.floor = outerFloor;
}

function createContext(
  random: Random,
  revision: Revision,
  addresses: readonly bigint[],
  creationDepth: number,
): ProgramContext {
  const context: ProgramContext = {
    random,
    builder: new ProgramBuilder(isAtLeast(revision, 'shanghai')),
    revision,
    addresses,
    nesting: MAX_NESTING,
    functions: [],
    emitBlock: (statements) => emitBlock(context, statements),
    createInitCode: () =>
      creationDepth >= MAX_CREATION_DEPTH
        ? random.bytes(random.below(8))
        : randomInitCode(random, revision, () =>
            generateProgram(random, revision, addresses, creationDepth + 1),
          ),
  };
  return context;
}

/** A short program that changes state and then mostly fails. */
export function generateDeeds(random: Random, revision: Revision, addresses: readonly bigint[]): Uint8Array {
  const context = createContext(random, revision, addresses, MAX_CREATION_DEPTH - 1);
  const { builder } = context;
  for (let i = random.between(1, 5); i > 0; i--) {
    const emit = random.pickWeighted([
      [8, emitDeed],
      [1, emitCall],
      [1, emitCreation],
      [isAtLeast(revision, 'amsterdam') ? 6 : 0, emitAmsterdamDeed],
    ]);
    emit(context);
  }
  if (random.oneIn(3)) emitEnd(context);
  else if (!isAtLeast(revision, 'byzantium') || random.oneIn(5)) builder.op('INVALID');
  else {
    builder.push(BigInt(random.below(40)));
    builder.push(0n);
    builder.op('REVERT');
  }
  return builder.build();
}

/**
 * Generates a program that mostly runs to its end: the stack is balanced, jumps go to destinations, loops end.
 * @param addresses accounts that it calls, reads and pays
 */
export function generateProgram(
  random: Random,
  revision: Revision,
  addresses: readonly bigint[],
  creationDepth = 0,
): Uint8Array {
  const context = createContext(random, revision, addresses, creationDepth);
  const statements = random.between(3, MAX_STATEMENTS >> creationDepth);
  for (let i = 0; i < statements; i++) emitStatement(context);
  foldStack(context, 0);
  if (random.oneIn(2)) showMemory(context);
  emitEnd(context);
  emitFunctions(context);
  return context.builder.build();
}
