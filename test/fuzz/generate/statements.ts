/** Statements on memory, storage, logs and the stack; none uses stack items below the floor. */
import { isAtLeast } from '../../support/is-at-least.ts';
import { emitAddress, emitCalculation, emitWord } from './expressions.ts';
import { selectOpcodes } from './opcodes.ts';
import type { ProgramContext } from './program-context.ts';
import { randomLength, randomOffset, randomSlot, randomSlotValue, randomWord } from './words.ts';

const EXPRESSION_DEPTH = 3;
/** Maximum stack height above a block's floor after a statement. */
const MAX_BLOCK_HEIGHT = 24;
/** Instructions that only consume and produce words, so that any stack items are valid operands. */
const STACK_ONLY =
  /^(ADD|MUL|SUB|DIV|SDIV|MOD|SMOD|ADDMOD|MULMOD|SIGNEXTEND|LT|GT|SLT|SGT|EQ|ISZERO|AND|OR|XOR|NOT|BYTE|SHL|SHR|SAR|CLZ|POP|DUP\d+|SWAP\d+)$/;
const stackOpcodes = selectOpcodes(({ name }) => STACK_ONLY.test(name));

function storeToMemory(context: ProgramContext): void {
  const { random, builder } = context;
  emitWord(context, EXPRESSION_DEPTH);
  builder.push(randomOffset(random));
  builder.op(random.oneIn(4) ? 'MSTORE8' : 'MSTORE');
}

function storeToStorage(context: ProgramContext): void {
  const { random, builder, revision } = context;
  if (random.oneIn(5)) emitWord(context, EXPRESSION_DEPTH);
  else builder.push(randomSlotValue(random));
  builder.push(randomSlot(random));
  builder.op(isAtLeast(revision, 'cancun') && random.oneIn(2) ? 'TSTORE' : 'SSTORE');
}

function emitLog(context: ProgramContext): void {
  const { random, builder } = context;
  const topics = random.below(5);
  for (let i = 0; i < topics; i++) emitWord(context, 1);
  builder.push(randomLength(random));
  builder.push(randomOffset(random));
  builder.op(`LOG${topics}`);
}

function copyReturnData({ random, builder }: ProgramContext): void {
  // Mostly from 0 to the full length, which is within bounds. Otherwise random, which mostly halts.
  if (random.oneIn(12)) {
    builder.push(randomLength(random));
    builder.push(randomOffset(random));
  } else if (random.oneIn(2)) {
    builder.op('RETURNDATASIZE');
    builder.push(0n);
  } else {
    builder.push(0n);
    builder.op('RETURNDATASIZE');
  }
  builder.push(randomOffset(random));
  builder.op('RETURNDATACOPY');
}

function copyToMemory(context: ProgramContext): void {
  const { random, builder, revision } = context;
  const copy = random.pickWeighted([
    [3, 'CALLDATACOPY'],
    [3, 'CODECOPY'],
    [2, 'EXTCODECOPY'],
    [isAtLeast(revision, 'byzantium') ? 3 : 0, 'RETURNDATACOPY'],
    [isAtLeast(revision, 'cancun') ? 3 : 0, 'MCOPY'],
  ]);
  if (copy === 'RETURNDATACOPY') {
    copyReturnData(context);
    return;
  }
  builder.push(randomLength(random));
  builder.push(random.oneIn(20) && copy !== 'MCOPY' ? randomWord(random) : randomOffset(random));
  builder.push(randomOffset(random));
  if (copy === 'EXTCODECOPY') emitAddress(context);
  builder.op(copy);
}

/** Applies a few instructions to the words on the stack. */
function shuffleStack({ random, builder, revision }: ProgramContext): void {
  const choices = stackOpcodes(revision);
  for (let i = random.between(1, 6); i > 0; i--) {
    const { name, inputs, outputs } = random.pick(choices);
    const reach = name.startsWith('DUP') ? builder.height : builder.height - builder.floor;
    const grows = outputs > inputs && builder.height - builder.floor >= MAX_BLOCK_HEIGHT;
    if (inputs <= reach && !grows) builder.op(name);
  }
}

function pushWords(context: ProgramContext): void {
  const { random, builder } = context;
  for (let i = random.between(1, 4); i > 0 && builder.height - builder.floor < MAX_BLOCK_HEIGHT; i--) {
    emitWord(context, EXPRESSION_DEPTH);
  }
}

/** Emits a calculation and reports the result at once. */
function reportCalculation(context: ProgramContext): void {
  const { random, builder } = context;
  emitCalculation(context);
  if (random.oneIn(4)) {
    builder.push(0n);
    builder.push(0n);
    builder.op('LOG1');
    return;
  }
  builder.push(BigInt(32 * random.below(10)));
  builder.op('MSTORE');
}

/** Stores a result where the outcome shows it. */
function keepTop(context: ProgramContext): void {
  const { random, builder } = context;
  if (builder.height === builder.floor) emitWord(context, EXPRESSION_DEPTH);
  builder.push(random.oneIn(3) ? BigInt(random.below(8)) : randomSlot(random));
  builder.op('SSTORE');
}

const MEMORY_SHOWN = 0x160n;

/** Reduces the stack to a height by folding its words, and moves the result into memory, which is shown. */
export function foldStack({ random, builder }: ProgramContext, height: number): void {
  while (builder.height > height + 1) builder.op(random.pick(['ADD', 'XOR', 'SUB']));
  while (builder.height < height) builder.push(0n);
  if (builder.height === height) return;
  builder.push(BigInt(32 * random.below(10)));
  builder.op('MSTORE');
}

/** Logs the memory that programs use. */
export function showMemory({ builder }: ProgramContext): void {
  builder.push(MEMORY_SHOWN);
  builder.push(0n);
  builder.op('LOG0');
}

export function emitPlainStatement(context: ProgramContext): void {
  const emit = context.random.pickWeighted([
    [12, pushWords],
    [6, shuffleStack],
    [6, storeToMemory],
    [5, storeToStorage],
    [2, keepTop],
    [3, copyToMemory],
    [1, emitLog],
    [2, reportCalculation],
  ]);
  emit(context);
}

/** Emits a statement with an effect outside the program, for contracts that act and then fail. */
export function emitDeed(context: ProgramContext): void {
  const emit = context.random.pickWeighted([
    [4, storeToStorage],
    [1, emitLog],
  ]);
  emit(context);
}
