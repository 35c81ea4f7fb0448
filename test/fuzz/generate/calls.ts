import { bytesToBigInt } from '../../../packages/ethereum/primitives/bytes.ts';
import { isAtLeast } from '../../support/is-at-least.ts';
import { emitAddress, emitWord } from './expressions.ts';
import { randomPrecompileCall } from './precompile-inputs.ts';
import type { ProgramContext } from './program-context.ts';
import { randomLength, randomOffset, randomSlot } from './words.ts';

const INPUT_OFFSET = 0x200n;

/** Emits the gas that a call passes on: mostly all of it, in the form that the revision requires. */
function emitGas({ random, builder, revision }: ProgramContext): void {
  const kind = random.below(16);
  if (kind === 0) builder.push(random.pick([0n, 1n, 99n, 699n, 2299n, 2300n, 2301n, 9000n, 21_000n]));
  else if (kind < 12) builder.push(BigInt(random.below(50_000)));
  else if (kind === 12) {
    builder.push(BigInt(random.between(2, 4)));
    builder.ops('GAS DIV');
  } else if (isAtLeast(revision, 'tangerineWhistle')) {
    if (random.oneIn(4)) builder.push(2n ** BigInt(random.pick([63, 64, 255, 256])) - 1n);
    else builder.op('GAS');
  } else {
    // Before EIP-150 a call that requests more gas than remains runs out of gas.
    builder.push(BigInt(random.pick([60, 800, 10_000, 35_000, 36_000])));
    builder.ops('GAS SUB');
  }
}

function emitValue(context: ProgramContext): void {
  const { random, builder } = context;
  const kind = random.below(24);
  if (kind < 16) builder.push(0n);
  else if (kind < 21) builder.push(BigInt(random.between(1, 3)));
  else if (kind < 23) builder.ops('ADDRESS BALANCE');
  else emitWord(context, 1);
}

type CallName = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL';

function pickCall({ random, revision }: ProgramContext): CallName {
  return random.pickWeighted<CallName>([
    [5, 'CALL'],
    [2, 'CALLCODE'],
    [isAtLeast(revision, 'homestead') ? 3 : 0, 'DELEGATECALL'],
    [isAtLeast(revision, 'byzantium') ? 2 : 0, 'STATICCALL'],
  ]);
}

/** Emits the call with the data at `input`. Its success flag stays on the stack. */
function emitCallTo(
  context: ProgramContext,
  name: CallName,
  emitTarget: () => void,
  input: readonly [offset: bigint, length: bigint],
): void {
  const { random, builder } = context;
  builder.push(randomLength(random));
  builder.push(randomOffset(random));
  builder.push(input[1]);
  builder.push(input[0]);
  if (name === 'CALL' || name === 'CALLCODE') emitValue(context);
  emitTarget();
  emitGas(context);
  builder.op(name);
}

/** Copies bytes from behind the program to `INPUT_OFFSET`. */
export function emitDataCopy({ builder }: ProgramContext, bytes: Uint8Array): void {
  builder.push(BigInt(bytes.length));
  builder.pushLabel(builder.addData(bytes));
  builder.push(INPUT_OFFSET);
  builder.op('CODECOPY');
}

/** Calls a precompile with input that is mostly valid. */
export function emitPrecompileCall(context: ProgramContext): void {
  const { random, builder } = context;
  const { address, input } = randomPrecompileCall(random);
  emitDataCopy(context, input);
  const length = random.oneIn(10) ? randomLength(random) : BigInt(input.length);
  emitCallTo(context, pickCall(context), () => builder.push(address), [INPUT_OFFSET, length]);
}

/** Reads state that a call may have changed. */
function readBack({ random, builder, revision }: ProgramContext): void {
  builder.push(randomSlot(random));
  builder.op(isAtLeast(revision, 'cancun') && random.oneIn(2) ? 'TLOAD' : 'SLOAD');
}

export function emitCall(context: ProgramContext): void {
  const { random } = context;
  const input = [randomOffset(random), randomLength(random)] as const;
  emitCallTo(context, pickCall(context), () => emitAddress(context), input);
  if (random.oneIn(2)) readBack(context);
}

/** Calls the address on top of the stack, which stays there. */
export function emitCallToTop(context: ProgramContext): void {
  const { builder } = context;
  const name = pickCall(context);
  const depth = name === 'CALL' || name === 'CALLCODE' ? 6 : 5;
  emitCallTo(context, name, () => builder.op(`DUP${depth}`), [0n, 32n]);
}

/** Puts init code into memory, as constants or copied from behind the program. @returns its offset and length */
export function emitInitCode(context: ProgramContext): readonly [offset: bigint, length: bigint] {
  const { random, builder } = context;
  const code = context.createInitCode();
  if (code.length > 32 || code.length === 0 || random.oneIn(2)) {
    emitDataCopy(context, code);
    return [INPUT_OFFSET, BigInt(code.length)];
  }
  builder.push(bytesToBigInt(code));
  builder.push(INPUT_OFFSET);
  builder.op('MSTORE');
  return [INPUT_OFFSET + BigInt(32 - code.length), BigInt(code.length)];
}

/** Creates a contract, and mostly calls it afterwards. */
export function emitCreation(context: ProgramContext): void {
  const { random, builder, revision } = context;
  const [offset, length] = emitInitCode(context);
  const isSalted = isAtLeast(revision, 'constantinople') && random.oneIn(2);
  if (isSalted) builder.push(BigInt(random.below(2)));
  builder.push(random.oneIn(30) ? randomLength(random) : length);
  builder.push(offset);
  emitValue(context);
  builder.op(isSalted ? 'CREATE2' : 'CREATE');
  if (random.oneIn(3)) return;
  emitCallToTop(context);
}
