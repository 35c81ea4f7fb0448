/** Decodes code into instructions for the interpreter: jumps to constants are resolved, and unreachable code is omitted. */
import { BYTES, INSTRUCTIONS, JUMPS, LENGTH } from './codes.ts';
import { ENDS_BLOCK, ENDS_PATH, FACT_FLAGS, FACT_GAS } from './generated/layout.ts';
import * as Op from './generated/operations.ts';
import { emitInstruction, factsOf, forgetInvalid, isInvalid, sizeOf } from './instruction-writer.ts';
import { block, blockGas, closeBlock, count, emit, forgetBlock, INSTRUCTION, openBlock, out, setOut, sizeOfOperation } from './operation-writer.ts';

/** A basic block ends when its static gas exceeds this limit. State overrides can set codes so long that the 32-bit sum would otherwise overflow. */
const MAX_BLOCK_GAS: u32 = 1 << 30;

/**
 * Maximum size of the decoded form, bytes. Each byte of code needs at most one block start (16 bytes), one instruction (16 bytes), and one jump table
 * entry (4 bytes).
 */
export function decodedSize(length: u32): u64 {
  return 36 * <u64>length + 256;
}

/**
 * Number of code bytes decoded per step. A step takes 0.4 ms. Deployed code (limited by EIP-170 and 7954) takes one step, initialisation code two.
 */
const PIECE: u32 = 64 << 10;

/** Stage of decoding: jump destinations are marked, code is decoded, jumps are resolved; idle when finished or abandoned. */
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
/** Progress of the current stage: the position in the code, and the address in the decoded form. */
let pc: u32 = 0;
let resolved: usize = 0;
/** Whether the following code is unreachable. */
let isSkipping: bool = false;
/** End of the finished decoded form. */
export let decodedEnd: usize = 0;

/** Begins to decode a code; its decoded form begins at `at`. */
export function beginDecoding(entry: usize, at: usize): void {
  stage = MARKING;
  decoded = entry;
  bytes = <usize>load<u32>(entry, BYTES);
  length = load<u32>(entry, LENGTH);
  jumps = at;
  pc = 0;
  store<u32>(entry, at, JUMPS);
}

/** Whether the code at `entry` is being decoded to the address `at`. */
export function isDecoding(entry: usize, at: usize): bool {
  return stage != IDLE && decoded == entry && jumps == at;
}

export function forgetDecoding(): void {
  stage = IDLE;
}

/** Continues decoding for one step. @returns whether the code is ready to run */
export function decodeOn(): bool {
  if (stage == MARKING) {
    markDestinations();
    if (pc < length) return false;
    stage = DECODING;
    setOut((jumps + (length << 2) + 15) & ~15);
    first = out;
    forgetBlock();
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

/** Decodes instructions until the end of a step is reached. The next step may continue a basic block. */
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
    if ((flags & ENDS_BLOCK) != 0 || isInvalid) closeBlock();
    if ((flags & ENDS_PATH) != 0 || isInvalid) isSkipping = true;
    forgetInvalid();
  }
}

/** Marks every JUMPDEST outside of PUSH constants. When the block of a JUMPDEST is decoded, the address of the block replaces the mark. */
function markDestinations(): void {
  const end = length - pc > PIECE ? pc + PIECE : length;
  // A PUSH constant may reach up to 32 bytes into the next step, so 32 entries after `end` are cleared as well.
  const cleared = end == length ? length : end + 32 < length ? end + 32 : length;
  memory.fill(jumps + (<usize>pc << 2), 0, (cleared - pc) << 2);
  for (; pc < end; pc += sizeOf(load<u8>(bytes + pc))) {
    if (load<u8>(bytes + pc) == <u8>Op.JUMPDEST) store<u32>(jumps + (<usize>pc << 2), 1);
  }
}

/** Replaces constant jump targets by addresses of instructions, once all addresses are known. */
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
