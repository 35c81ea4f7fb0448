/**
 * Code as instructions for the interpreter. A basic block begins with one instruction that pays for all its static gas
 * and checks the stack for all of it; frequent sequences become one operation; jumps to constants are resolved.
 * An operation takes 16 bytes. A large constant follows it (32 bytes more).
 */
import { BYTES, INSTRUCTIONS, JUMPS, LENGTH } from './codes.ts';
import {
  ENDS_BLOCK, ENDS_PATH, EXACT, EXACT_END, FACT_FLAGS, FACT_GAS, FACT_INPUTS, FACT_OUTPUTS, FACT_SIZE, IS_DEFINED, OPCODES, STACK_LIMIT,
} from './generated/layout.ts';
import * as Op from './generated/operations.ts';
import { add, sub } from './words/add.ts';
import { not } from './words/bitwise.ts';
import { copyWord, fitsU64, loadBigEndian, setU64 } from './words/word.ts';
import { shl, shrBy } from './words/shift.ts';

/** Operation (2), bytes back to the one before it in its block (2; 0: none), operands (4 each). */
const INSTRUCTION: usize = 16;
const BACK: usize = 2;
const STACK_WORDS: i32 = STACK_LIMIT;
/** A block of more than this many words' need fails whatever the stack's height. */
const IMPOSSIBLE: i32 = STACK_WORDS + 1;

/** A block of more than this ends here: codes of overrides may be so long that sums of 32 bits overflow. */
const MAX_BLOCK_GAS: u32 = 1 << 30;

/** Bytes that decoding takes at most: per byte of code one block start, one instruction, one jump. */
export function decodedSize(length: u32): u64 {
  return 36 * <u64>length + 256;
}

@inline
function factsOf(opcode: u32): usize {
  return OPCODES + <usize>opcode * FACT_SIZE;
}

/** Where the next instruction goes, and the block that is open. */
let out: usize = 0;
let block: usize = 0;
/** The last operation; 0: it is not to be joined with the next. */
let last: usize = 0;
let blockGas: u32 = 0;
let height: i32 = 0;
let lowest: i32 = 0;
let highest: i32 = 0;

function openBlock(pc: u32): void {
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

/** Writes an operation, which must have been counted. */
function emit(operation: u32, a: u32, b: u32): void {
  store<u16>(out, <u16>operation);
  store<u16>(out, last == 0 ? 0 : <u16>(out - last), BACK);
  store<u32>(out, a, 4);
  store<u32>(out, b, 8);
  last = out;
  out += INSTRUCTION;
}

/** The same; it may make one operation with those before it. */
function emitJoining(operation: u32, a: u32, b: u32): void {
  emit(operation, a, b);
  while (joinLast());
}

@inline
function sizeOfOperation(operation: u32): usize {
  return Op.hasConstant(operation) ? INSTRUCTION + 32 : INSTRUCTION;
}

/** Makes one operation of the last two, if there is one for them. */
function joinLast(): bool {
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

/** Bytes of code that one piece of decoding goes over: 0.4 ms. Codes that a chain can have (EIP-170, 3860) are done in one. */
const PIECE: u32 = 64 << 10;

/** What is being done with the code: its destinations are marked, it is decoded, its jumps are resolved; done, or given up. */
const MARKING: u32 = 0;
const DECODING: u32 = 1;
const RESOLVING: u32 = 2;
const IDLE: u32 = 3;
let stage: u32 = IDLE;
let decoded: usize = 0;
let bytes: usize = 0;
let length: u32 = 0;
let jumps: usize = 0;
let first: usize = 0;
/** Where the stage goes on: a place in the code, or in the decoded form. */
let pc: u32 = 0;
let resolved: usize = 0;
/** What comes next is not reached. */
let isSkipping: bool = false;
/** Where the decoded form ends, once it is done. */
export let decodedEnd: usize = 0;

/** Begins to decode a code; its decoded form will lie from `at` on. */
export function beginDecoding(entry: usize, at: usize): void {
  stage = MARKING;
  decoded = entry;
  bytes = <usize>load<u32>(entry, BYTES);
  length = load<u32>(entry, LENGTH);
  jumps = at;
  pc = 0;
  store<u32>(entry, at, JUMPS);
}

/** Whether decoding of this code to `at` is in progress. */
export function isDecoding(entry: usize, at: usize): bool {
  return stage != IDLE && decoded == entry && jumps == at;
}

export function forgetDecoding(): void {
  stage = IDLE;
}

/** Goes on with the code that `beginDecoding` named, for a piece. @returns whether it is ready to run */
export function decodeOn(): bool {
  if (stage == MARKING) {
    markDestinations();
    if (pc < length) return false;
    stage = DECODING;
    out = (jumps + (length << 2) + 15) & ~15;
    first = out;
    block = 0;
    pc = 0;
    isSkipping = false;
    if (length > PIECE) return false;
  }
  if (stage == DECODING) {
    decodePiece();
    if (pc < length) return false;
    if (block == 0) openBlock(length);
    emit(Op.STOP, 0, 0);
    closeBlock();
    stage = RESOLVING;
    resolved = first;
    if (length > PIECE) return false;
  }
  resolveJumps();
  if (resolved < out) return false;
  stage = IDLE;
  decodedEnd = out;
  store<u32>(decoded, first, INSTRUCTIONS);
  return true;
}

/** Up to the first instruction that begins beyond a piece; a block may go on in the next one. */
function decodePiece(): void {
  const end = length - pc > PIECE ? pc + PIECE : length;
  while (pc < end) {
    const opcode = <u32>load<u8>(bytes + pc);
    if (isSkipping) {
      isSkipping = load<u32>(jumps + (<usize>pc << 2)) == 0;
      if (isSkipping) {
        pc += sizeOf(<u8>opcode);
        continue;
      }
    }
    if (opcode == Op.JUMPDEST) {
      closeBlock();
      store<u32>(jumps + (<usize>pc << 2), out);
      openBlock(pc);
      count(load<u32>(factsOf(Op.JUMPDEST), FACT_GAS), 0, 0);
      pc++;
      continue;
    }
    if (blockGas > MAX_BLOCK_GAS) closeBlock();
    if (block == 0) openBlock(pc);
    const facts = factsOf(opcode);
    const flags = <u32>load<u8>(facts, FACT_FLAGS);
    pc = emitInstruction(opcode, facts, pc, bytes, length, jumps);
    if ((flags & ENDS_BLOCK) != 0) closeBlock();
    if ((flags & ENDS_PATH) != 0) isSkipping = true;
  }
}

/** Counts and writes an instruction, which is no JUMPDEST. @returns where the next one is */
@inline
function emitInstruction(opcode: u32, facts: usize, at: u32, bytes: usize, length: u32, jumps: usize): u32 {
  const isDefined = (<u32>load<u8>(facts, FACT_FLAGS) & IS_DEFINED) != 0;
  count(load<u32>(facts, FACT_GAS), load<u8>(facts, FACT_INPUTS), load<u8>(facts, FACT_OUTPUTS));
  if (opcode >= Op.PUSH0 && opcode <= Op.PUSH32 && isDefined) {
    emitPush(bytes + at + 1, opcode - Op.PUSH0);
    return at + sizeOf(<u8>opcode);
  }
  if (isDefined) emitOperation(opcode, at, bytes, length, jumps);
  else emit(Op.INVALID, opcode, 0);
  return at + 1;
}

/** Bytes of an instruction with its constant. */
@inline
function sizeOf(opcode: u8): u32 {
  return Op.immediateSize(opcode) + 1;
}

/** Marks every JUMPDEST that is not inside a constant; the mark is replaced when its block is decoded. */
function markDestinations(): void {
  const end = length - pc > PIECE ? pc + PIECE : length;
  // A constant may reach into the next piece: what was cleared is behind `end`, and at most 32 places further.
  const cleared = end == length ? length : end + 32 < length ? end + 32 : length;
  memory.fill(jumps + (<usize>pc << 2), 0, (cleared - pc) << 2);
  for (; pc < end; pc += sizeOf(load<u8>(bytes + pc))) {
    if (load<u8>(bytes + pc) == <u8>Op.JUMPDEST) store<u32>(jumps + (<usize>pc << 2), 1);
  }
}

const constant: usize = memory.data(64, 16);

/** Code is followed by zeros, so that a constant cut off by its end reads as the EVM wants it. */
function emitPush(at: usize, size: u32): void {
  if (size <= 8) {
    emitSmall(size == 0 ? 0 : bswap<u64>(load<u64>(at)) >> (64 - (size << 3)));
    return;
  }
  loadBigEndian(constant, at);
  if (size < 32) shrBy(constant, constant, (32 - size) << 3);
  emitConstant();
}

function emitSmall(value: u64): void {
  if (value >> 32 != 0) emit(Op.PUSH_LONG, <u32>value, <u32>(value >> 32));
  else emit(Op.PUSH_SMALL, <u32>value, 0);
}

function emitConstant(): void {
  if (fitsU64(constant)) {
    emitSmall(load<u64>(constant));
    return;
  }
  emit(Op.PUSH_WORD, 0, 0);
  copyWord(out, constant);
  out += 32;
}

/** A jump to the constant before it, if that is a place to jump to; otherwise where to is found out when it is executed. */
function emitJump(opcode: u32, jumps: usize, length: u32): void {
  const isConstant = last != 0 && load<u16>(last) == <u16>Op.PUSH_SMALL;
  const target = isConstant ? load<u32>(last, 4) : length;
  if (target >= length || load<u32>(jumps + (<usize>target << 2)) == 0) {
    emit(opcode, 0, 0);
    return;
  }
  store<u16>(last, <u16>(opcode == Op.JUMP ? Op.JUMP_TO : Op.JUMP_IF));
  // Bit 0: whether the jump is inverted.
  store<u32>(last, target << 1, 4);
  while (joinLast());
}

/** The constant that an operation pushes, to `word`. False: it pushes none. */
function readConstant(at: usize, word: usize): bool {
  const operation = <u32>load<u16>(at);
  if (operation == Op.PUSH_SMALL) setU64(word, <u64>load<u32>(at, 4));
  else if (operation == Op.PUSH_LONG) setU64(word, load<u64>(at, 4));
  else if (operation == Op.PUSH_WORD) copyWord(word, at + INSTRUCTION);
  else return false;
  return true;
}

/** Computes what compilers write as a computation to save bytes: masks by shifting, subtracting and complementing. */
function foldConstants(opcode: u32): bool {
  if (opcode != Op.NOT && opcode != Op.SHL && opcode != Op.SUB && opcode != Op.ADD) return false;
  if (last == 0 || !readConstant(last, constant + 32)) return false;
  if (opcode == Op.NOT) {
    not(constant + 32);
    copyWord(constant, constant + 32);
    dropLast();
    emitConstant();
    return true;
  }
  const back = <usize>load<u16>(last, BACK);
  if (back == 0 || !readConstant(last - back, constant)) return false;
  if (opcode == Op.SHL) shl(constant + 32);
  else if (opcode == Op.SUB) sub(constant + 32);
  else add(constant + 32);
  dropLast();
  dropLast();
  emitConstant();
  return true;
}

/** Takes back the last operation. */
function dropLast(): void {
  const back = <usize>load<u16>(last, BACK);
  out = last;
  last = back == 0 ? 0 : last - back;
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

/** A GAS that is the operand of the next call is no look at gas: it means all of it. */
function isCall(opcode: u8): bool {
  return opcode == <u8>Op.CALL || opcode == <u8>Op.CALLCODE || opcode == <u8>Op.DELEGATECALL || opcode == <u8>Op.STATICCALL;
}

/** Constant targets become instructions' addresses once all are known. */
function resolveJumps(): void {
  const end = out - resolved > <usize>PIECE * INSTRUCTION ? resolved + <usize>PIECE * INSTRUCTION : out;
  while (resolved < end) {
    const operation = <u32>load<u16>(resolved);
    if (Op.hasTarget(operation)) {
      const target = resolved + (<usize>Op.countOperands(operation) << 2);
      const destination = load<u32>(target);
      store<u32>(target, load<u32>(jumps + (<usize>(destination >> 1) << 2)) | (destination & 1));
    }
    resolved += sizeOfOperation(operation);
  }
}

/**
 * Decodes what a block has from `start` on with a block start before every instruction: running it shows which instruction fails. In
 * a block that cannot be paid for or does not fit the stack one does.
 * @param gas what there is: what it cannot pay for is left out, so that a frame with little gas costs little time
 * @returns its first instruction
 */
export function decodeExactly(entry: usize, start: u32, gas: i64): usize {
  const bytes = <usize>load<u32>(entry, BYTES);
  const length = load<u32>(entry, LENGTH);
  out = EXACT;
  let pc = start;
  while (pc < length && gas >= 0 && out + 128 < EXACT_END) {
    const opcode = <u32>load<u8>(bytes + pc);
    if (opcode == Op.JUMPDEST && pc != start) break;
    const facts = factsOf(opcode);
    openBlock(opcode);
    if (opcode == Op.JUMPDEST) {
      count(load<u32>(factsOf(Op.JUMPDEST), FACT_GAS), 0, 0);
      pc++;
    } else pc = emitInstruction(opcode, facts, pc, bytes, length, 0);
    closeBlock();
    gas -= blockGas;
    if ((load<u8>(facts, FACT_FLAGS) & ENDS_BLOCK) != 0) break;
  }
  emit(Op.EXHAUST, 0, 0);
  return EXACT;
}

/** Static gas of what `decodeRest` has decoded, which the block's beginning has paid for. */
export let restGas: u32 = 0;

/**
 * Decodes exactly what a block has from one of its operations on. That cannot be paid for, while the block's beginning has paid
 * for what follows it: what fails may be what follows.
 * @param gas what there is beside that
 * @returns its first instruction; 0: nothing follows the operation, or the block is too long
 */
export function decodeRest(entry: usize, ip: usize, gas: i64): usize {
  let start = ip - INSTRUCTION;
  for (let back = <usize>load<u16>(ip, BACK); back != 0; back = <usize>load<u16>(start + INSTRUCTION, BACK)) start -= back;
  const bytes = <usize>load<u32>(entry, BYTES);
  const length = load<u32>(entry, LENGTH);
  const jumps = <usize>load<u32>(entry, JUMPS);
  const place = EXACT + (ip - start);
  // Decoded once more, the block shows which instructions became the operation: those from the last one that began at its place.
  let pc = load<u32>(start, 12);
  let from = pc;
  let gasBefore: u32 = 0;
  out = EXACT;
  openBlock(pc);
  if (<u32>load<u8>(bytes + pc) == Op.JUMPDEST) {
    count(load<u32>(factsOf(Op.JUMPDEST), FACT_GAS), 0, 0);
    pc++;
  }
  let isOpen = true;
  while (isOpen && pc < length && <u32>load<u8>(bytes + pc) != Op.JUMPDEST) {
    if (out + 128 >= EXACT_END) return 0;
    if (out == place) {
      from = pc;
      gasBefore = blockGas;
    }
    const opcode = <u32>load<u8>(bytes + pc);
    const facts = factsOf(opcode);
    pc = emitInstruction(opcode, facts, pc, bytes, length, jumps);
    isOpen = (load<u8>(facts, FACT_FLAGS) & ENDS_BLOCK) == 0;
  }
  if (last <= place) return 0;
  restGas = load<u32>(start, 4) - gasBefore;
  return decodeExactly(entry, from, gas + restGas);
}
