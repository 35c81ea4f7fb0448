/**
 * Writes the interpreter's operations sequentially. A basic block begins with an operation that charges the static gas of the whole block and checks
 * the block's stack bounds. Frequent sequences are fused to one operation. An operation takes 16 bytes; a large constant follows in 32 more bytes.
 */
import { STACK_LIMIT } from './generated/layout.ts';
import * as Op from './generated/operations.ts';
import { add, sub } from './words/add.ts';
import { not } from './words/bitwise.ts';
import { shl } from './words/shift.ts';
import { copyWord, fitsU64, setU64 } from './words/word.ts';

/** Layout in bytes: operation (2), distance to the previous operation in its block (2; 0: none), operands (4 each). */
export const INSTRUCTION: usize = 16;
export const BACK: usize = 2;
const STACK_WORDS: i32 = STACK_LIMIT;
/** A basic block that needs at least this many stack words fails at any stack height. */
const IMPOSSIBLE: i32 = STACK_WORDS + 1;

/** Address of the next operation, and of the open basic block. */
export let out: usize = 0;
export let block: usize = 0;
/** Address of the last operation; 0: the next operation must not be fused with it. */
export let last: usize = 0;
export let blockGas: u32 = 0;
let height: i32 = 0;
let lowest: i32 = 0;
let highest: i32 = 0;

export function setOut(value: usize): void { out = value; }
/** Discards the open block. */
export function forgetBlock(): void { block = 0; }

export function openBlock(pc: u32): void {
  block = out;
  store<u32>(out, Op.BLOCK);
  store<u32>(out, pc, 12);
  out += INSTRUCTION;
  last = 0;
  blockGas = 0;
  height = 0;
  lowest = 0;
  highest = 0;
}

export function closeBlock(): void {
  if (block == 0) return;
  const need = min(-lowest, IMPOSSIBLE);
  const most = STACK_WORDS - highest;
  store<u32>(block, blockGas, 4);
  store<u32>(block, most < 0 ? <u32>IMPOSSIBLE << 5 : <u32>(need << 5) | (<u32>most << 21), 8);
  block = 0;
}

export function count(gas: u32, inputs: i32, outputs: i32): void {
  blockGas += gas;
  if (height - inputs < lowest) lowest = height - inputs;
  height += outputs - inputs;
  if (height > highest) highest = height;
}

/** Writes an operation whose gas and stack words are already counted. */
export function emit(operation: u32, a: u32, b: u32): void {
  store<u16>(out, <u16>operation);
  store<u16>(out, last == 0 ? 0 : <u16>(out - last), BACK);
  store<u32>(out, a, 4);
  store<u32>(out, b, 8);
  last = out;
  out += INSTRUCTION;
}

/** Writes an operation, and fuses it with previous operations where possible. */
export function emitJoining(operation: u32, a: u32, b: u32): void {
  emit(operation, a, b);
  while (joinLast());
}

@inline
export function sizeOfOperation(operation: u32): usize {
  return Op.hasConstant(operation) ? INSTRUCTION + 32 : INSTRUCTION;
}

/** Fuses the last two operations, if a fused operation exists. */
export function joinLast(): bool {
  const back = <usize>load<u16>(last, BACK);
  const second = <u32>load<u16>(last);
  if (back == 0 || !Op.isSecond(second)) return false;
  const before = last - back;
  const first = <u32>load<u16>(before);
  const joined = Op.joinOperations(first, second, load<u32>(before, 4), load<u32>(last, 4));
  if (joined == Op.NONE) return false;
  const operands = before + 4 + (Op.countOperands(first) << 2);
  const count = Op.countOperands(second) << 2;
  for (let i: usize = 0; i < count; i += 4) store<u32>(operands + i, load<u32>(last + i, 4));
  store<u16>(before, <u16>joined);
  if ((joined & Op.INVERTED) != 0) store<u32>(operands, load<u32>(operands) ^ 1);
  out = before + sizeOfOperation(first);
  last = before;
  return true;
}

const constant: usize = memory.data(64, 16);

export function emitSmall(value: u64): void {
  if (value >> 32 != 0) emit(Op.PUSH_LONG, <u32>value, <u32>(value >> 32));
  else emit(Op.PUSH_SMALL, <u32>value, 0);
}

/** Writes an operation that pushes a word. */
export function emitConstant(constant: usize): void {
  if (fitsU64(constant)) {
    emitSmall(load<u64>(constant));
    return;
  }
  emit(Op.PUSH_WORD, 0, 0);
  copyWord(out, constant);
  out += 32;
}

/** Writes to the address `word` the constant that an operation pushes. @returns false when the operation pushes no constant */
function readConstant(at: usize, word: usize): bool {
  const operation = <u32>load<u16>(at);
  if (operation == Op.PUSH_SMALL) setU64(word, <u64>load<u32>(at, 4));
  else if (operation == Op.PUSH_LONG) setU64(word, load<u64>(at, 4));
  else if (operation == Op.PUSH_WORD) copyWord(word, at + INSTRUCTION);
  else return false;
  return true;
}

/**
 * Computes constants that compilers encode as computations to save bytes. Compilers encode masks, for example, by shifting, subtracting and
 * complementing.
 */
export function foldConstants(opcode: u32): bool {
  if (opcode != Op.NOT && opcode != Op.SHL && opcode != Op.SUB && opcode != Op.ADD) return false;
  if (last == 0 || !readConstant(last, constant + 32)) return false;
  if (opcode == Op.NOT) {
    not(constant + 32);
    copyWord(constant, constant + 32);
    dropLast();
    emitConstant(constant);
    return true;
  }
  const back = <usize>load<u16>(last, BACK);
  if (back == 0 || !readConstant(last - back, constant)) return false;
  if (opcode == Op.SHL) shl(constant + 32);
  else if (opcode == Op.SUB) sub(constant + 32);
  else add(constant + 32);
  dropLast();
  dropLast();
  emitConstant(constant);
  return true;
}

/** Removes the last operation. */
function dropLast(): void {
  const back = <usize>load<u16>(last, BACK);
  out = last;
  last = back == 0 ? 0 : last - back;
}

