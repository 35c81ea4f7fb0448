/** Decodes basic blocks instruction by instruction, to find the failing instruction. */
import { BYTES, JUMPS, LENGTH } from './codes.ts';
import { ENDS_BLOCK, EXACT, EXACT_END, FACT_FLAGS, FACT_GAS } from './generated/layout.ts';
import * as Op from './generated/operations.ts';
import { emitInstruction, factsOf, forgetInvalid, isInvalid } from './instruction-writer.ts';
import { BACK, blockGas, closeBlock, count, emit, INSTRUCTION, last, openBlock, out, setOut } from './operation-writer.ts';

/**
 * Decodes a block from `start` on, with a block start before every instruction. When the decoded block runs, it stops at the instruction that fails.
 * A block that cannot be paid for, or does not fit the stack, always contains a failing instruction.
 * @param gas available gas. Instructions that this gas cannot reach are omitted, so a frame with little gas takes little time.
 * @returns address of the first instruction
 */
export function decodeExactly(entry: usize, start: u32, gas: i64): usize {
  const bytes = <usize>load<u32>(entry, BYTES);
  const length = load<u32>(entry, LENGTH);
  setOut(EXACT);
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
    if ((load<u8>(facts, FACT_FLAGS) & ENDS_BLOCK) != 0 || isInvalid) break;
  }
  forgetInvalid();
  emit(Op.EXHAUST, 0, 0);
  return EXACT;
}

/** The block's start already charged this static gas, for the instructions that `decodeRest` decoded. */
export let restGas: u32 = 0;

/**
 * Decodes the rest of a block instruction by instruction, from the operation at `ip` on. The remaining gas does not pay for this operation, but the
 * block's start has also charged the instructions after it. Therefore, the instruction that fails may come after this operation.
 * @param gas available gas, without the gas charged for later instructions
 * @returns address of the first instruction; 0: nothing follows the operation, or the block is too long
 */
export function decodeRest(entry: usize, ip: usize, gas: i64): usize {
  let start = ip - INSTRUCTION;
  for (let back = <usize>load<u16>(ip, BACK); back != 0; back = <usize>load<u16>(start + INSTRUCTION, BACK)) start -= back;
  const bytes = <usize>load<u32>(entry, BYTES);
  const length = load<u32>(entry, LENGTH);
  const jumps = <usize>load<u32>(entry, JUMPS);
  const place = EXACT + (ip - start);
  // The block is decoded again to find the instructions that were fused into the operation at `ip`. The first fused instruction is the last
  // instruction that is decoded to the address of this operation.
  let pc = load<u32>(start, 12);
  let from = pc;
  let gasBefore: u32 = 0;
  setOut(EXACT);
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
    isOpen = (load<u8>(facts, FACT_FLAGS) & ENDS_BLOCK) == 0 && !isInvalid;
    forgetInvalid();
  }
  if (last <= place) return 0;
  restGas = load<u32>(start, 4) - gasBefore;
  return decodeExactly(entry, from, gas + restGas);
}
