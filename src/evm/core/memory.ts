/** The running frame's memory: growing it and paying for that (yellow paper H.1: 3 w + w^2 / 512). */
import { clearBytes } from './bytes.ts';
import { charge } from './gas.ts';
import { ARENA } from './generated/layout.ts';
import { halt, memoryBase, memoryLimit, memorySize, reserve, setMemorySize } from './machine.ts';
import { pauseAfterPaying } from './needs.ts';
import { GAS_OVERFLOW, PRICE_OVERFLOW, MEMORY_LIMIT } from './generated/status.ts';
import { fitsU64, isZero } from './words/word.ts';

/** Beyond this many bytes memory costs more than any gas limit that fits 63 bits could hold in practice. */
export const MAX_REACH: u64 = 0x1fffffffe0;
/** The end of a range that 64 bits do not hold. */
const BEYOND: u64 = u64.MAX_VALUE;

function costOf(words: u64): u64 {
  return words * 3 + (words * words >> 9);
}

/** Bytes that follow one another after a copy or a hash cost 3 (or 6) gas a word. */
@inline
export function wordsOf(bytes: u64): i64 {
  return <i64>((bytes + 31) >> 5);
}

/** Bytes that memory grows by in one piece: 0.3 ms where the process does not have them yet. */
const PIECE: u64 = 1 << 20;

/** Status of an instruction that expands memory further than any gas limit pays for. */
function overflowOf(end: u64): i32 {
  return end == BEYOND ? GAS_OVERFLOW : PRICE_OVERFLOW;
}

/** Gas for memory of `size` bytes to grow so that it reaches to `end`, which is at most `MAX_REACH`. */
export function growthCost(size: u32, end: u64): i64 {
  return end <= <u64>size ? 0 : <i64>(costOf((end + 31) >> 5) - costOf(<u64>size >> 5));
}

/**
 * Makes memory reach to `end` if it does not yet, and pays for that and what else the instruction costs: all at once, so that an
 * instruction that cannot be paid for has changed nothing. `end` is the further one's of several ranges.
 */
@inline
export function growUpTo(end: u64, extra: i64, gas: i64): i64 {
  return end <= <u64>memorySize ? charge(gas, extra) : growTo(end, extra, gas);
}

/** The same for an `end` beyond what there is. @returns gas left; negative: the frame halts, or the instruction begins anew and grows the rest */
export function growTo(end: u64, extra: i64, gas: i64): i64 {
  if (end > MAX_REACH) return halt(overflowOf(end));
  const words = (end + 31) >> 5;
  const size = words << 5;
  const paid = costOf(<u64>memorySize >> 5);
  const cost = <i64>(costOf(words) - paid) + extra;
  const fits = <u64>(memoryBase - ARENA) + size <= <u64>memoryLimit;
  if (fits && size - memorySize > PIECE && cost <= gas + reserve) {
    const reached = <u64>memorySize + PIECE;
    const rest = charge(gas, <i64>(costOf(reached >> 5) - paid));
    clearBytes(memoryBase + memorySize, <u32>PIECE);
    setMemorySize(<u32>reached);
    return pauseAfterPaying(gas - rest);
  }
  const left = charge(gas, cost);
  if (left < 0) return left;
  if (!fits) return halt(MEMORY_LIMIT);
  clearBytes(memoryBase + memorySize, <u32>size - memorySize);
  setMemorySize(<u32>size);
  return left;
}

/**
 * Makes memory reach over a range, and pays for that and what else the instruction costs. Offset and size are stack words; a range
 * of size zero needs no memory wherever it begins.
 */
@inline
export function growOver(offset: usize, size: usize, extra: i64, gas: i64): i64 {
  return isZero(size) ? charge(gas, extra) : growUpTo(endOf(offset, size), extra, gas);
}

/** End of a memory range given by two stack words, offset and size; 0 where the size is 0. */
export function endOf(offset: usize, size: usize): u64 {
  if (isZero(size)) return 0;
  if (!fitsU64(offset) || !fitsU64(size)) return BEYOND;
  const from = load<u64>(offset);
  const end = from + load<u64>(size);
  // Words beyond a multiple of 32 count too: geth rounds up before it looks whether 64 bits suffice.
  return end < from || end > BEYOND - 31 ? BEYOND : end;
}

/** The same for a fixed number of bytes from a stack word. */
@inline
export function growFor(offset: usize, bytes: u32, gas: i64): i64 {
  const from = load<u64>(offset);
  if ((load<u64>(offset, 8) | load<u64>(offset, 16) | load<u64>(offset, 24)) == 0 && from + bytes <= <u64>memorySize && from <= MAX_REACH)
    return gas;
  return growForSome(offset, bytes, gas);
}

function growForSome(offset: usize, bytes: u32, gas: i64): i64 {
  if (!fitsU64(offset) || load<u64>(offset) > BEYOND - 31 - bytes) return halt(GAS_OVERFLOW);
  return growTo(load<u64>(offset) + bytes, 0, gas);
}
