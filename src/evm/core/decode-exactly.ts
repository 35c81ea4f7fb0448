/** Blocks of instructions decoded one by one, to find out which one fails. */
import { BYTES, JUMPS, LENGTH } from './codes.ts';
import { ENDS_BLOCK, EXACT, EXACT_END, FACT_FLAGS, FACT_GAS } from './generated/layout.ts';
import * as Op from './generated/operations.ts';
import { emitInstruction, factsOf, forgetInvalid, isInvalid } from './instruction-writer.ts';
import { BACK, blockGas, closeBlock, count, emit, INSTRUCTION, last, openBlock, out, setOut } from './operation-writer.ts';

/**
 * Decodes what a block has from `start` on with a block start before every instruction: running it shows which instruction fails. In
 * a block that cannot be paid for or does not fit the stack one does.
 * @param gas what there is: what it cannot pay for is left out, so that a frame with little gas costs little time
 * @returns its first instruction
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
