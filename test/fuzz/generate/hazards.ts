/** Rare statements after which a program mostly ends. */
import { isAtLeast } from '../../support/is-at-least.ts';
import { emitAddress } from './expressions.ts';
import type { ProgramContext } from './program-context.ts';
import { randomLength, randomOffset, randomWord } from './words.ts';

const STACK_LIMIT = 1024;

/** Fills the stack to its limit, plus or minus two items. Not in loops: the next round would overflow. */
function fillStack({ random, builder }: ProgramContext): void {
  const target = STACK_LIMIT - 2 + random.below(4);
  if (builder.height === 0) builder.push(1n);
  while (builder.height < target) builder.op(random.oneIn(50) ? 'PC' : 'DUP1');
  const extra = builder.height - builder.floor;
  for (let i = 0; i < extra; i++) builder.op('POP');
}

function underflow({ random, builder }: ProgramContext): void {
  const deep = Math.min(builder.height + random.between(1, 3), 16);
  builder.raw(random.pick([0x7f + deep, 0x8f + deep, 0x01, 0x50]));
  if (random.oneIn(2)) for (let i = builder.height; i >= 0; i--) builder.raw(0x50);
}

function jumpWrongly({ random, builder }: ProgramContext): void {
  if (random.oneIn(2)) builder.push(randomWord(random));
  else builder.push(BigInt(random.below(builder.length + 4)));
  builder.op('JUMP');
}

function callSelfAgain({ random, builder, revision }: ProgramContext): void {
  for (let i = 0; i < 5; i++) builder.push(0n);
  builder.op('ADDRESS');
  if (isAtLeast(revision, 'tangerineWhistle')) builder.op('GAS');
  else {
    builder.push(BigInt(random.pick([100, 1000])));
    builder.ops('GAS SUB');
  }
  builder.ops('CALL POP');
}

function spendEverything({ random, builder }: ProgramContext): void {
  builder.push(randomWord(random));
  builder.push(2n ** BigInt(random.between(16, 70)));
  builder.op(random.pick(['MSTORE', 'MSTORE8']));
}

function runUndefined({ random, builder }: ProgramContext): void {
  builder.raw(
    random.pick([0x0c, 0x1e, 0x1f, 0x21, 0x49, 0x4b, 0x5c, 0x5e, 0x5f, 0xa5, 0xb0, 0xe0, 0xef, 0xf6, 0xfe]),
  );
}

export function emitHazard(context: ProgramContext): void {
  const emit = context.random.pickWeighted([
    [2, fillStack],
    [2, underflow],
    [3, jumpWrongly],
    [2, callSelfAgain],
    [2, spendEverything],
    [3, runUndefined],
  ]);
  emit(context);
}

/** Ends a program in one of all possible ways. */
export function emitEnd(context: ProgramContext): void {
  const { random, builder, revision } = context;
  const end = random.pickWeighted([
    [2, 'STOP'],
    [8, 'RETURN'],
    [isAtLeast(revision, 'byzantium') ? 6 : 0, 'REVERT'],
    [1, 'SELFDESTRUCT'],
    [1, 'nothing'],
    [1, 'half a PUSH'],
  ]);
  if (end === 'nothing') return;
  if (end === 'half a PUSH') {
    builder.raw(0x60 + random.between(1, 31), 0x5b);
    return;
  }
  if (end === 'SELFDESTRUCT') emitAddress(context);
  if (end === 'RETURN' || end === 'REVERT') {
    const isWhole = random.oneIn(2);
    builder.push(isWhole ? 0x160n : randomLength(random));
    builder.push(isWhole ? 0n : randomOffset(random));
  }
  builder.op(end);
}
