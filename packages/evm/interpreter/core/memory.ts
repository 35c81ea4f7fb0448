/** Growth of the running frame's memory and its price (yellow paper H.1: 3 w + w^2 / 512). */
import { clearBytes } from './bytes.ts';
import { charge } from './gas.ts';
import { ARENA } from './generated/layout.ts';
import { halt, memoryBase, memoryLimit, memorySize, reserve, setMemorySize } from './machine.ts';
import { pauseAfterPaying } from './needs.ts';
import { GAS_OVERFLOW, PRICE_OVERFLOW, MEMORY_LIMIT } from './generated/status.ts';
import { fitsU64, isZero } from './words/word.ts';

/** Maximum memory size in bytes for which geth computes a price (core/vm/gas_table.go). */
export const MAX_REACH: u64 = 0x1fffffffe0;
/** Stands for the end of a range that does not fit 64 bits. */
const BEYOND: u64 = u64.MAX_VALUE;

function costOf(words: u64): u64 {
  return words * 3 + (words * words >> 9);
}

/** Returns the number of words of a range. Copies cost 3 gas per word, hashes 6. */
@inline
export function wordsOf(bytes: u64): i64 {
  return <i64>((bytes + 31) >> 5);
}

/** Bytes by which memory grows per step. A step takes 0.3 ms when the operating system must first provide the pages. */
const PIECE: u64 = 1 << 20;

/** Returns the status of an instruction that expands memory beyond `MAX_REACH`. */
function overflowOf(end: u64): i32 {
  return end == BEYOND ? GAS_OVERFLOW : PRICE_OVERFLOW;
}

/** Gas to grow memory from `size` bytes to `end`, which is at most `MAX_REACH`. */
export function growthCost(size: u32, end: u64): i64 {
  return end <= <u64>size ? 0 : <i64>(costOf((end + 31) >> 5) - costOf(<u64>size >> 5));
}

/**
 * Grows memory to `end` if necessary. The gas for growth and the instruction's other costs (`extra`) are charged in one sum, so an instruction that
 * cannot be paid for changes nothing. If an instruction uses several memory ranges, `end` is the highest end.
 */
@inline
export function growUpTo(end: u64, extra: i64, gas: i64): i64 {
  return end <= <u64>memorySize ? charge(gas, extra) : growTo(end, extra, gas);
}

/**
 * Grows memory to an `end` beyond its current size, with the charges of `growUpTo`.
 * @returns remaining gas; negative: the frame halts, or the instruction restarts and grows the rest
 */
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
 * Grows memory to cover a range, and charges for growth and for `extra`, the instruction's other costs. Offset and size are stack words. A range of
 * size zero needs no memory at any offset.
 */
@inline
export function growOver(offset: usize, size: usize, extra: i64, gas: i64): i64 {
  return isZero(size) ? charge(gas, extra) : growUpTo(endOf(offset, size), extra, gas);
}

/** Returns the end of a memory range whose offset and size are stack words; 0 when the size is 0. */
export function endOf(offset: usize, size: usize): u64 {
  if (isZero(size)) return 0;
  if (!fitsU64(offset) || !fitsU64(size)) return BEYOND;
  const from = load<u64>(offset);
  const end = from + load<u64>(size);
  // Ends within 31 bytes of 2^64 overflow too, because geth first rounds an end up to words, and then checks for overflow.
  return end < from || end > BEYOND - 31 ? BEYOND : end;
}

/** Grows memory to cover a fixed number of bytes at the offset in a stack word. @returns remaining gas; negative as in `growTo` */
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
