/** Writes single instructions of a code as operations. */
import { FACT_FLAGS, FACT_GAS, FACT_INPUTS, FACT_OUTPUTS, FACT_SIZE, IS_DEFINED, OPCODES } from './generated/layout.ts';
import * as Op from './generated/operations.ts';
import { count, emit, emitConstant, emitJoining, emitSmall, foldConstants, joinLast, last } from './operation-writer.ts';
import { shrBy } from './words/shift.ts';
import { loadBigEndian } from './words/word.ts';

@inline
export function factsOf(opcode: u32): usize {
  return OPCODES + <usize>opcode * FACT_SIZE;
}

/** Writes an instruction other than JUMPDEST, and counts its gas and stack words. @returns the position of the next instruction */
@inline
export function emitInstruction(opcode: u32, facts: usize, at: u32, bytes: usize, length: u32, jumps: usize): u32 {
  const isDefined = (<u32>load<u8>(facts, FACT_FLAGS) & IS_DEFINED) != 0;
  if (isDefined && opcode >= Op.DUPN && opcode <= Op.EXCHANGE) return emitDeep(opcode, facts, at, load<u8>(bytes + at + 1));
  count(load<u32>(facts, FACT_GAS), load<u8>(facts, FACT_INPUTS), load<u8>(facts, FACT_OUTPUTS));
  if (opcode >= Op.PUSH0 && opcode <= Op.PUSH32 && isDefined) {
    emitPush(bytes + at + 1, opcode - Op.PUSH0);
    return at + sizeOf(<u8>opcode);
  }
  if (isDefined) emitOperation(opcode, at, bytes, length, jumps);
  else emit(Op.INVALID, opcode, 0);
  return at + 1;
}

/** EIP-8024: immediates from these values up to 127 are invalid, because they include the opcodes of JUMPDEST and PUSH. */
const LEAST_INVALID_DEPTH: u32 = 91;
const LEAST_INVALID_PAIR: u32 = 82;
/** Whether an invalid immediate of EIP-8024 has ended the path. */
export let isInvalid: bool = false;
export function forgetInvalid(): void { isInvalid = false; }

/** Writes DUPN, SWAPN or EXCHANGE: the next code byte is their immediate, unless it is invalid. @returns the position of the next instruction */
function emitDeep(opcode: u32, facts: usize, at: u32, immediate: u32): u32 {
  const gas = load<u32>(facts, FACT_GAS);
  const inputs = <i32>load<u8>(facts, FACT_INPUTS);
  if (immediate < 128 && immediate >= (opcode == Op.EXCHANGE ? LEAST_INVALID_PAIR : LEAST_INVALID_DEPTH)) {
    count(gas, inputs, load<u8>(facts, FACT_OUTPUTS));
    emit(Op.INVALID, opcode, immediate + 1);
    isInvalid = true;
    return at + 1;
  }
  if (opcode == Op.EXCHANGE) {
    const pair = immediate ^ 143;
    const row = pair >> 4;
    const column = pair & 15;
    const first = row < column ? row + 1 : column + 1;
    const second = row < column ? column + 1 : 29 - row;
    const height = <i32>max(first, second) + 1;
    count(gas, height, height);
    emit(Op.EXCHANGE, first << 5, second << 5);
    return at + 2;
  }
  const depth = (immediate + 145) & 255;
  const height = <i32>depth + (opcode == Op.SWAPN ? 1 : 0);
  count(gas, height, opcode == Op.DUPN ? height + 1 : height);
  if (opcode == Op.DUPN) emitJoining(Op.DUP, (depth - 1) << 5, 0);
  else emitJoining(Op.SWAP, depth << 5, 0);
  return at + 2;
}

/** Size of an instruction with its immediate bytes. */
@inline
export function sizeOf(opcode: u8): u32 {
  return Op.immediateSize(opcode) + 1;
}

const constant: usize = memory.data(32, 16);

/** Writes a PUSH constant. Zeros follow the code, so a constant that the end of the code truncates is padded as the EVM requires. */
function emitPush(at: usize, size: u32): void {
  if (size <= 8) {
    emitSmall(size == 0 ? 0 : bswap<u64>(load<u64>(at)) >> (64 - (size << 3)));
    return;
  }
  loadBigEndian(constant, at);
  if (size < 32) shrBy(constant, constant, (32 - size) << 3);
  emitConstant(constant);
}

/**
 * Writes a jump. If the instruction before the jump pushes a valid destination, the operation jumps there directly. Otherwise, the target of the jump
 * is looked up when the jump is executed.
 */
function emitJump(opcode: u32, jumps: usize, length: u32): void {
  const isConstant = last != 0 && load<u16>(last) == <u16>Op.PUSH_SMALL;
  const target = isConstant ? load<u32>(last, 4) : length;
  if (target >= length || load<u32>(jumps + (<usize>target << 2)) == 0) {
    emit(opcode, 0, 0);
    return;
  }
  store<u16>(last, <u16>(opcode == Op.JUMP ? Op.JUMP_TO : Op.JUMP_IF));
  // Bit 0 of the operand shows whether the jump is inverted.
  store<u32>(last, target << 1, 4);
  while (joinLast());
}

function emitOperation(opcode: u32, pc: u32, bytes: usize, length: u32, jumps: usize): void {
  if (opcode >= Op.DUP1 && opcode <= Op.DUP16) emitJoining(Op.DUP, (opcode - Op.DUP1) << 5, 0);
  else if (opcode >= Op.SWAP1 && opcode <= Op.SWAP16) emitJoining(Op.SWAP, (opcode - Op.SWAP1 + 1) << 5, 0);
  else if (opcode >= Op.LOG0 && opcode <= Op.LOG4) emit(Op.LOG0, opcode - Op.LOG0, 0);
  else if (opcode == Op.JUMP || opcode == Op.JUMPI) emitJump(opcode, jumps, length);
  else if (opcode == Op.PC) emitSmall(pc);
  else if (opcode == Op.CODESIZE) emitSmall(length);
  else if (opcode == Op.GAS) emit(Op.GAS, isCall(load<u8>(bytes + pc + 1)) ? 1 : 0, 0);
  else if (!foldConstants(opcode)) emitJoining(opcode, 0, 0);
}

/** Whether an opcode is a call. GAS directly before a call counts as unobserved, because the call passes on all of the gas. */
function isCall(opcode: u8): bool {
  return opcode == <u8>Op.CALL || opcode == <u8>Op.CALLCODE || opcode == <u8>Op.DELEGATECALL || opcode == <u8>Op.STATICCALL;
}
