/** The running frame's memory: growing it and paying for that (yellow paper H.1: 3 w + w^2 / 512). */
import { clearBytes } from './bytes.ts';
import { charge } from './gas.ts';
import { ARENA } from './layout.ts';
import { halt, memoryBase, memoryLimit, memorySize, reserve, setMemorySize } from './machine.ts';
import { addPrepaid, pauseAfterPaying } from './needs.ts';
import { BODY_NEEDS, GAS_OVERFLOW, PRICE_OVERFLOW, MEMORY_LIMIT } from './status.ts';
import { fitsU64 } from './words/word.ts';

/** Beyond this many bytes memory costs more than any gas limit that fits 63 bits could hold in practice. */
const MAX_REACH: u64 = 0x1fffffffe0;

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

/** Makes memory reach to `end`. @returns gas left; negative: the frame halts, or the instruction begins anew and grows the rest */
export function growTo(end: u64, gas: i64): i64 {
  if (end > MAX_REACH) return halt(PRICE_OVERFLOW);
  const words = (end + 31) >> 5;
  const size = words << 5;
  const paid = costOf(<u64>memorySize >> 5);
  const cost = <i64>(costOf(words) - paid);
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
 * Makes memory reach over a range. Offset and size are stack words; a range of size zero needs no memory wherever
 * it begins.
 */
@inline
export function growOver(offset: usize, size: usize, gas: i64): i64 {
  if ((load<u64>(size) | load<u64>(size, 8) | load<u64>(size, 16) | load<u64>(size, 24)) == 0) return gas;
  return growOverSome(offset, size, gas);
}

/** The same for an instruction that has paid already: `before` is the gas that it began with. */
@inline
export function growOverToo(offset: usize, size: usize, gas: i64, before: i64): i64 {
  const left = growOver(offset, size, gas);
  if (left == BODY_NEEDS) addPrepaid(before - gas);
  return left;
}

function growOverSome(offset: usize, size: usize, gas: i64): i64 {
  if (!fitsU64(offset) || !fitsU64(size)) return halt(GAS_OVERFLOW);
  const from = load<u64>(offset);
  const bytes = load<u64>(size);
  const end = from + bytes;
  // Words beyond a multiple of 32 count too: geth rounds up before it looks whether 64 bits suffice.
  if (end < from || end > u64.MAX_VALUE - 31) return halt(GAS_OVERFLOW);
  return end <= <u64>memorySize ? gas : growTo(end, gas);
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
  if (!fitsU64(offset) || load<u64>(offset) > u64.MAX_VALUE - 63) return halt(GAS_OVERFLOW);
  return growTo(load<u64>(offset) + bytes, gas);
}
