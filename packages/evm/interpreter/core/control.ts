/** Exits of the dispatch loop: a frame ends, a basic block cannot be entered, or the host is needed. */
import { decodeExactly, decodeRest, restGas } from './decode-exactly.ts';
import { endFrame } from './frames.ts';
import * as Op from './generated/operations.ts';
import { EXACT, EXACT_END, FACT_INPUTS, FACT_SIZE, OPCODES } from './generated/layout.ts';
import {
  code, depth, gas as gasRegister, halt, ip as ipRegister, memoryBase, reserve, setDetails, setRegisters, setReserve, sp as spRegister, stackBase, status,
} from './machine.ts';
import { growOver } from './memory.ts';
import { BODY_HALTS, BODY_NEEDS, BODY_SWITCHES, need, setNeed, takePrepaid, WORK_LEFT } from './needs.ts';
import { isRecording, recordsAccesses, recordShort, recordUnpaid } from './recording.ts';
import { DONE, NEEDS_PRECOMPILE, OUT_OF_GAS, SLICE_USED, STACK_OVERFLOW, STACK_UNDERFLOW } from './generated/status.ts';

/**
 * Moves gas for a slice to the registers, at least the static gas of the next basic block. A slice of 0 continues with the rest of the previous
 * slice.
 */
export function refill(slice: i64): bool {
  if (depth < 0) return false;
  if (slice == 0) return true;
  const total = gasRegister + reserve;
  const least = load<u16>(ipRegister) == <u16>Op.BLOCK ? <i64>load<u32>(ipRegister, 4) : 0;
  const wanted = slice > least ? slice : least;
  const counted = total < wanted ? total : wanted;
  setReserve(total - counted);
  setRegisters(ipRegister, spRegister, counted);
  return true;
}

/**
 * Whether the failing instruction must be found. Without recordings, only the failure of the first frame is reported; recordings need the failing
 * instruction of every frame. If the result is true, a block that the gas cannot pay for runs instruction by instruction.
 */
@inline
function isReported(): bool {
  return depth == 0 || isRecording();
}
@inline
function isExact(ip: usize): bool {
  return ip >= EXACT && ip < EXACT_END;
}

/**
 * Handles an instruction's body that returned a `BODY_` result instead of gas.
 * @returns gas left in the slice, if the loop continues from the saved registers; negative: `~reason`, and the loop returns to the host
 */
export function leave(result: i64, ip: usize, sp: usize, gas: i64): i64 {
  if (result == BODY_HALTS) {
    const rest = status == OUT_OF_GAS && isReported() && !isExact(ip) ? decodeRest(code, ip, gas + reserve) : 0;
    if (rest != 0) {
      setRegisters(rest, sp, gas + restGas);
      return gasRegister;
    }
    result = endFrame(status, gas, 0, 0);
  }
  if (result == BODY_NEEDS) {
    if (need == WORK_LEFT) return ~(<i64>SLICE_USED);
    if (need != NEEDS_PRECOMPILE) setRegisters(ip, sp, gas - takePrepaid());
    return ~(<i64>need);
  }
  return depth < 0 ? ~(<i64>DONE) : gasRegister;
}

/** Ends the running frame with a range of its memory as output. `offset` and `size` are addresses of stack words; `offset` 0 means no output. */
export function finish(result: i32, gas: i64, offset: usize, size: usize): i64 {
  if (offset == 0) return endFrame(result, gas, 0, 0);
  const left = growOver(offset, size, 0, gas);
  if (left < 0) return left;
  const bytes = <u32>load<u64>(size);
  return endFrame(result, left, bytes == 0 ? 0 : memoryBase + <usize>load<u64>(offset), bytes);
}

/** Handles a basic block that cannot be entered: the slice is used up, or an instruction in the block must fail. */
export function failBlock(ip: usize, sp: usize, gas: i64): i64 {
  const bounds = load<u32>(ip, 8);
  const height = <u32>(sp - stackBase);
  const fits = height >= (bounds & 0xffff) && height <= bounds >>> 16;
  if (fits && gas + reserve >= <i64>load<u32>(ip, 4)) return setNeed(SLICE_USED);
  if (isExact(ip) || !isReported()) {
    const words = height >> 5;
    const inputs = <u32>load<u8>(OPCODES + <usize>load<u32>(ip, 12) * FACT_SIZE, FACT_INPUTS);
    // EIP-8024: the stack depth that an instruction's immediate requires is checked only after the gas is charged.
    const isDeep = words >= inputs && height <= bounds >>> 16;
    if (fits || (isDeep && gas + reserve < <i64>load<u32>(ip, 4))) {
      if (recordsAccesses()) recordUnpaid(load<u32>(ip, 12), sp);
      return halt(OUT_OF_GAS);
    }
    if (height < (bounds & 0xffff)) {
      if (recordsAccesses()) recordShort(load<u32>(ip, 12), words, sp);
      setDetails(words, isDeep ? (bounds & 0xffff) >> 5 : inputs);
      return halt(STACK_UNDERFLOW);
    }
    setDetails(words, 0);
    return halt(STACK_OVERFLOW);
  }
  setRegisters(decodeExactly(code, load<u32>(ip, 12), gas + reserve), sp, gas);
  return BODY_SWITCHES;
}
