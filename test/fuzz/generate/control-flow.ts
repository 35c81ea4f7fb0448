/** Branches, loops and functions; every block leaves the stack as high as it found it. */
import { emitWord } from './expressions.ts';
import type { ProgramContext } from './program-context.ts';

const MAX_ROUNDS = 6;

function emitCondition(context: ProgramContext): void {
  const { random, builder } = context;
  if (random.oneIn(3)) builder.push(BigInt(random.below(2)));
  else emitWord(context, 2);
}

/** Emits `if (condition) { ... }`; a true condition jumps over the body. */
function emitBranch(context: ProgramContext): void {
  const { builder, random } = context;
  const end = builder.createLabel();
  emitCondition(context);
  builder.pushLabel(end);
  builder.op('JUMPI');
  context.emitBlock(random.between(1, 4));
  builder.place(end);
}

function emitBranchWithElse(context: ProgramContext): void {
  const { builder, random } = context;
  const otherwise = builder.createLabel();
  const end = builder.createLabel();
  emitCondition(context);
  builder.pushLabel(otherwise);
  builder.op('JUMPI');
  context.emitBlock(random.between(1, 3));
  builder.pushLabel(end);
  builder.op('JUMP');
  builder.place(otherwise);
  context.emitBlock(random.between(1, 3));
  builder.place(end);
}

/** Emits a loop that counts down on the stack. */
function emitLoop(context: ProgramContext): void {
  const { builder, random } = context;
  const start = builder.createLabel();
  builder.push(BigInt(random.between(1, MAX_ROUNDS)));
  builder.place(start);
  context.emitBlock(random.between(1, 3));
  builder.push(1n);
  builder.ops('SWAP1 SUB DUP1');
  builder.pushLabel(start);
  builder.ops('JUMPI POP');
}

/** Jumps over bytes that look like destinations but are part of a PUSH, or unreachable. */
function emitJumpOverJunk({ builder, random }: ProgramContext): void {
  const end = builder.createLabel();
  // The destination is not always a plain constant, so that decoders cannot rely on one.
  const delta = random.pick([0, 0, 1, -1]);
  builder.pushLabel(end, delta);
  if (delta !== 0) {
    builder.push(1n);
    if (delta === 1) builder.op('SWAP1');
    builder.op(delta === 1 ? 'SUB' : 'ADD');
  }
  builder.op('JUMP');
  if (random.oneIn(2)) builder.raw(0x62, 0x5b, 0x5b, 0x5b);
  else
    builder.raw(...random.bytes(random.below(4)).map((byte) => (byte > 0x5f && byte < 0x80 ? 0xfe : byte)));
  builder.place(end);
}

/** Pushes the return address and jumps into a function that other places may call too. */
function emitFunctionCall(context: ProgramContext): void {
  const { builder, random, functions } = context;
  const back = builder.createLabel();
  builder.pushLabel(back);
  if (functions.length === 0 || (functions.length < 3 && random.oneIn(2)))
    functions.push(builder.createLabel());
  builder.pushLabel(random.pick(functions));
  builder.op('JUMP');
  builder.place(back);
  builder.height--;
}

/** Emits the bodies of called functions. Nesting is 0 in a body, so it calls no function, and recursion is impossible. */
export function emitFunctions(context: ProgramContext): void {
  const { builder, random, functions } = context;
  for (let i = 0; i < functions.length; i++) {
    builder.height = 1;
    builder.floor = 1;
    builder.place(functions[i] as (typeof functions)[number]);
    context.nesting = 0;
    context.emitBlock(random.between(1, 4));
    builder.op('JUMP');
  }
}

export function emitControlFlow(context: ProgramContext): void {
  const emit = context.random.pickWeighted([
    [4, emitBranch],
    [3, emitBranchWithElse],
    [3, emitLoop],
    [2, emitJumpOverJunk],
    [2, emitFunctionCall],
  ]);
  context.nesting--;
  emit(context);
  context.nesting++;
}
