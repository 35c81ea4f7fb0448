/**
 * Code as instructions for the interpreter. A basic block begins with one instruction that pays for all its static gas
 * and checks the stack for all of it; frequent sequences become one instruction; jumps to constants are resolved.
 * An instruction is 16 bytes: operation and three operands. A large constant follows its instruction (32 bytes more).
 */
import { BYTES, INSTRUCTIONS, JUMPS, LENGTH } from './codes.ts';
import { EXACT, EXACT_END, OPCODES } from './layout.ts';
import * as Op from './generated/operations.ts';
import { isZero, loadBigEndian, setU64 } from './words/word.ts';
import { shrBy } from './words/shift.ts';

/** Opcode facts: static gas (4), inputs (1), outputs (1), flags (1), unused (1). */
const OPCODE_SIZE_LOG: usize = 3;
export const IS_DEFINED: u32 = 1;
/** What follows is another block: it looks at gas, or leaves the block. */
export const ENDS_BLOCK: u32 = 2;
/** Nothing behind it is executed but by a jump. */
export const ENDS_PATH: u32 = 4;

const INSTRUCTION: usize = 16;
const STACK_WORDS: i32 = 1024;
/** A block of more than this many words' need fails whatever the stack's height. */
const IMPOSSIBLE: i32 = STACK_WORDS + 1;

/** A block of more than this ends here: codes of overrides may be so long that sums of 32 bits overflow. */
const MAX_BLOCK_GAS: u32 = 1 << 30;

/** Bytes that decoding takes at most: per byte of code one block start, one instruction, one jump. */
export function decodedSize(length: u32): u64 {
  return 36 * <u64>length + 256;
}

// @ts-ignore: decorator
@inline
function factsOf(opcode: u32): usize {
  return OPCODES + (<usize>opcode << OPCODE_SIZE_LOG);
}

/** Where the next instruction goes, and the block that is open. */
let out: usize = 0;
let block: usize = 0;
/** First instruction that a sequence may still absorb. */
let absorbFrom: usize = 0;
let blockGas: u32 = 0;
let height: i32 = 0;
let lowest: i32 = 0;
let highest: i32 = 0;

function openBlock(pc: u32): void {
  block = out;
  store<u32>(out, Op.BLOCK);
  store<u32>(out, pc, 12);
  out += INSTRUCTION;
  absorbFrom = out;
  blockGas = 0;
  height = 0;
  lowest = 0;
  highest = 0;
}

function closeBlock(): void {
  if (block == 0) return;
  const need = min(-lowest, IMPOSSIBLE);
  const most = STACK_WORDS - highest;
  store<u32>(block, blockGas, 4);
  store<u32>(block, most < 0 ? <u32>IMPOSSIBLE << 5 : <u32>(need << 5) | (<u32>most << 21), 8);
  block = 0;
}

function count(gas: u32, inputs: i32, outputs: i32): void {
  blockGas += gas;
  if (height - inputs < lowest) lowest = height - inputs;
  height += outputs - inputs;
  if (height > highest) highest = height;
}

function emit(operation: u32, a: u32, b: u32): void {
  store<u32>(out, operation);
  store<u32>(out, a, 4);
  store<u32>(out, b, 8);
  out += INSTRUCTION;
}

/** Operation of the n-th instruction before the next one, if it may be absorbed; NONE otherwise. */
function before(n: usize): u32 {
  const at = out - n * INSTRUCTION;
  return at >= absorbFrom ? load<u32>(at) : NONE;
}
const NONE: u32 = 0xffffffff;

// @ts-ignore: decorator
@inline
function operandA(n: usize): u32 {
  return load<u32>(out - n * INSTRUCTION, 4);
}

// @ts-ignore: decorator
@inline
function replace(n: usize, operation: u32, a: u32, b: u32): void {
  out -= n * INSTRUCTION;
  emit(operation, a, b);
}

/** Decodes from `at` on. @returns where the decoded form ends */
export function decode(entry: usize, at: usize): usize {
  const bytes = <usize>load<u32>(entry, BYTES);
  const length = load<u32>(entry, LENGTH);
  const jumps = at;
  store<u32>(entry, jumps, JUMPS);
  memory.fill(jumps, 0, length << 2);
  markDestinations(bytes, length, jumps);
  out = (jumps + (length << 2) + 15) & ~15;
  store<u32>(entry, out, INSTRUCTIONS);
  const first = out;
  block = 0;
  let pc: u32 = 0;
  while (pc < length) {
    const opcode = <u32>load<u8>(bytes + pc);
    if (opcode == Op.JUMPDEST) {
      closeBlock();
      store<u32>(jumps + (<usize>pc << 2), out);
      openBlock(pc);
      count(1, 0, 0);
      pc++;
      continue;
    }
    if (blockGas > MAX_BLOCK_GAS) closeBlock();
    if (block == 0) openBlock(pc);
    const facts = factsOf(opcode);
    const flags = <u32>load<u8>(facts, 6);
    count(load<u32>(facts), load<u8>(facts, 4), load<u8>(facts, 5));
    if (opcode >= Op.PUSH0 && opcode <= Op.PUSH32 && (flags & IS_DEFINED) != 0) {
      emitPush(bytes + pc + 1, opcode - Op.PUSH0);
      pc += opcode - Op.PUSH0 + 1;
      continue;
    }
    if ((flags & IS_DEFINED) == 0) emit(Op.INVALID, opcode, 0);
    else emitOperation(opcode, pc, bytes, length, jumps);
    pc++;
    if ((flags & ENDS_BLOCK) != 0) closeBlock();
    if ((flags & ENDS_PATH) != 0) {
      while (pc < length && load<u32>(jumps + (<usize>pc << 2)) == 0) pc += sizeOf(load<u8>(bytes + pc));
    }
  }
  if (block == 0) openBlock(length);
  emit(Op.STOP, 0, 0);
  closeBlock();
  resolveJumps(first, jumps);
  return out;
}

/** Bytes of an instruction with its constant. */
// @ts-ignore: decorator
@inline
function sizeOf(opcode: u8): u32 {
  return opcode >= <u8>Op.PUSH1 && opcode <= <u8>Op.PUSH32 ? <u32>opcode - Op.PUSH1 + 2 : 1;
}

/** Marks every JUMPDEST that is not inside a constant; the mark is replaced when its block is decoded. */
function markDestinations(bytes: usize, length: u32, jumps: usize): void {
  for (let pc: u32 = 0; pc < length; pc += sizeOf(load<u8>(bytes + pc))) {
    if (load<u8>(bytes + pc) == <u8>Op.JUMPDEST) store<u32>(jumps + (<usize>pc << 2), 1);
  }
}

const constant: usize = memory.data(32, 16);

/** Code is followed by zeros, so that a constant cut off by its end reads as the EVM wants it. */
function emitPush(at: usize, size: u32): void {
  loadBigEndian(constant, at);
  if (size < 32) {
    if (size == 0) setU64(constant, 0);
    else shrBy(constant, constant, (32 - size) << 3);
  }
  if (load<u64>(constant, 8) == 0 && load<u64>(constant, 16) == 0 && load<u64>(constant, 24) == 0) {
    const value = load<u64>(constant);
    emit(Op.PUSH_SMALL, <u32>value, <u32>(value >> 32));
    return;
  }
  emit(Op.PUSH_WORD, 0, 0);
  memory.copy(out, constant, 32);
  out += 32;
  absorbFrom = out;
}

// @ts-ignore: decorator
@inline
function isSmallPush(n: usize): bool {
  return before(n) == Op.PUSH_SMALL && load<u32>(out - n * INSTRUCTION, 8) == 0;
}

/** Comparison and jump in one. */
function jumpFor(comparison: u32): u32 {
  if (comparison == Op.LT) return Op.JUMP_LT;
  if (comparison == Op.GT) return Op.JUMP_GT;
  if (comparison == Op.SLT) return Op.JUMP_SLT;
  if (comparison == Op.SGT) return Op.JUMP_SGT;
  if (comparison == Op.EQ) return Op.JUMP_EQ;
  return NONE;
}

function emitJump(isConditional: bool, jumps: usize, length: u32): void {
  const isConstant = isSmallPush(1);
  const target = isConstant ? operandA(1) : 0;
  if (!isConstant || target >= length || load<u32>(jumps + (<usize>target << 2)) == 0) {
    emit(isConditional ? Op.JUMPI : Op.JUMP, 0, 0);
    return;
  }
  if (!isConditional) {
    replace(1, Op.JUMP_TO, target, 0);
    return;
  }
  const isInverted = before(2) == Op.ISZERO;
  const comparison = jumpFor(before(isInverted ? 3 : 2));
  if (comparison != NONE) replace(isInverted ? 3 : 2, comparison, target, isInverted ? 0 : 1);
  else if (isInverted) replace(2, Op.JUMP_UNLESS, target, 0);
  else replace(1, Op.JUMP_IF, target, 0);
}

function emitOperation(opcode: u32, pc: u32, bytes: usize, length: u32, jumps: usize): void {
  if (opcode >= Op.DUP1 && opcode <= Op.DUP16) {
    const depth = (opcode - Op.DUP1) << 5;
    if (before(1) == Op.DUP) replace(1, Op.DUP_DUP, operandA(1), depth);
    else emit(Op.DUP, depth, 0);
    return;
  }
  if (opcode >= Op.SWAP1 && opcode <= Op.SWAP16) {
    emit(Op.SWAP, (opcode - Op.SWAP1 + 1) << 5, 0);
    return;
  }
  if (opcode >= Op.LOG0 && opcode <= Op.LOG4) {
    emit(Op.LOG0, opcode - Op.LOG0, 0);
    return;
  }
  switch (opcode) {
    case Op.JUMP: emitJump(false, jumps, length); return;
    case Op.JUMPI: emitJump(true, jumps, length); return;
    case Op.PC: emit(Op.PUSH_SMALL, pc, 0); return;
    case Op.CODESIZE: emit(Op.PUSH_SMALL, length, 0); return;
    case Op.GAS: emit(Op.GAS, isCall(load<u8>(bytes + pc + 1)) ? 1 : 0, 0); return;
    case Op.ADD:
      if (isSmallPush(1)) {
        if (before(2) == Op.DUP) replace(2, Op.DUP_ADD_SMALL, load<u32>(out - 2 * INSTRUCTION, 4), operandA(1));
        else replace(1, Op.ADD_SMALL, operandA(1), 0);
        return;
      }
      if (before(1) == Op.DUP) { replace(1, Op.DUP_ADD, operandA(1), 0); return; }
      break;
    case Op.AND:
      if (isSmallPush(1)) { replace(1, Op.AND_SMALL, operandA(1), 0); return; }
      if (load<u32>(out - 48) == Op.PUSH_WORD && out - 48 > block && out == absorbFrom) {
        store<u32>(out - 48, Op.AND_WORD);
        return;
      }
      break;
    case Op.SHL:
      if (isSmallPush(1) && operandA(1) < 256) { replace(1, Op.SHL_SMALL, operandA(1), 0); return; }
      break;
    case Op.SHR:
      if (isSmallPush(1) && operandA(1) < 256) { replace(1, Op.SHR_SMALL, operandA(1), 0); return; }
      break;
    case Op.MLOAD:
      if (before(1) == Op.DUP) { replace(1, Op.DUP_MLOAD, operandA(1), 0); return; }
      if (isSmallPush(1) && operandA(1) < 0x10000) { replace(1, Op.MLOAD_AT, operandA(1), 0); return; }
      break;
    case Op.MSTORE:
      if (isSmallPush(1) && operandA(1) < 0x10000) { replace(1, Op.MSTORE_AT, operandA(1), 0); return; }
      break;
    case Op.POP:
      if (before(1) == Op.SWAP) { replace(1, Op.SWAP_POP, operandA(1), 0); return; }
      break;
  }
  emit(opcode, 0, 0);
}

/** GAS whose value goes to a call at once is no look at gas: it means all of it. */
function isCall(opcode: u8): bool {
  return opcode == <u8>Op.CALL || opcode == <u8>Op.CALLCODE || opcode == <u8>Op.DELEGATECALL || opcode == <u8>Op.STATICCALL;
}

/** Constant targets become instructions' addresses once all are known. */
function resolveJumps(first: usize, jumps: usize): void {
  for (let at = first; at < out; at += INSTRUCTION) {
    const operation = load<u32>(at);
    if (operation >= Op.JUMP_TO && operation <= Op.JUMP_EQ) {
      store<u32>(at, load<u32>(jumps + (<usize>load<u32>(at, 4) << 2)), 4);
    } else if (operation == Op.PUSH_WORD || operation == Op.AND_WORD) at += 32;
  }
}

/**
 * Decodes one block with a block start before every instruction: running it tells which instruction fails. In a block
 * that cannot be paid for or does not fit the stack one does.
 * @returns its first instruction
 */
export function decodeExactly(entry: usize, start: u32): usize {
  const bytes = <usize>load<u32>(entry, BYTES);
  const length = load<u32>(entry, LENGTH);
  out = EXACT;
  let pc = start;
  while (pc < length && out + 128 < EXACT_END) {
    const opcode = <u32>load<u8>(bytes + pc);
    if (opcode == Op.JUMPDEST && pc != start) break;
    const facts = factsOf(opcode);
    const flags = <u32>load<u8>(facts, 6);
    openBlock(opcode);
    count(load<u32>(facts), load<u8>(facts, 4), load<u8>(facts, 5));
    closeBlock();
    if (opcode >= Op.PUSH0 && opcode <= Op.PUSH32 && (flags & IS_DEFINED) != 0) {
      emitPush(bytes + pc + 1, opcode - Op.PUSH0);
      pc += opcode - Op.PUSH0 + 1;
      continue;
    }
    absorbFrom = out;
    if ((flags & IS_DEFINED) == 0) emit(Op.INVALID, opcode, 0);
    else if (opcode == Op.JUMP || opcode == Op.JUMPI || opcode == Op.AND) emit(opcode, 0, 0);
    else if (opcode != Op.JUMPDEST) emitOperation(opcode, pc, bytes, length, 0);
    pc++;
    if ((flags & ENDS_BLOCK) != 0) break;
  }
  emit(Op.EXHAUST, 0, 0);
  return EXACT;
}
