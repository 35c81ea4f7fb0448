/** Instructions that read and write the frame's memory. */
import { clearBytes, copyBytes } from '../bytes.ts';
import { BYTES, LENGTH } from '../codes.ts';
import { absorbBlocks, beginHash, endHash, keccak256, RATE } from '../keccak.ts';
import { RETURN_DATA } from '../generated/layout.ts';
import {
  code, halt, input, inputSize, memoryBase, memorySize, returnSize,
} from '../machine.ts';
import { endOf, growFor, growOver, growTo, growUpTo, wordsOf } from '../memory.ts';
import { pauseAfterPaying, setNeed } from '../needs.ts';
import { hashPair, PAIR_SIZE } from '../pair-hashes.ts';
import { OUT_OF_GAS, RETURN_DATA_OUT_OF_BOUNDS, SLICE_USED } from '../generated/status.ts';
import { fitsU64, loadBigEndian, storeBigEndian } from '../words/word.ts';

const HASH_WORD_GAS: i64 = 6;
const COPY_WORD_GAS: i64 = 3;

@inline
export function mload(sp: usize, gas: i64): i64 {
  const left = growFor(sp, 32, gas);
  if (left >= 0) loadBigEndian(sp, memoryBase + <usize>load<u64>(sp));
  return left;
}
@inline
export function mstore(sp: usize, gas: i64): i64 {
  const left = growFor(sp, 32, gas);
  if (left >= 0) storeBigEndian(memoryBase + <usize>load<u64>(sp), sp - 32);
  return left;
}
@inline
export function mstore8(sp: usize, gas: i64): i64 {
  const left = growFor(sp, 1, gas);
  if (left >= 0) store<u8>(memoryBase + <usize>load<u64>(sp), load<u8>(sp - 32));
  return left;
}
/** Fused DUP and MLOAD: the offset stays on the stack; `sp` is the address of the loaded word. */
@inline
export function dupMload(sp: usize, offset: usize, gas: i64): i64 {
  const left = growFor(offset, 32, gas);
  if (left >= 0) loadBigEndian(sp, memoryBase + <usize>load<u64>(offset));
  return left;
}
/** Fused DUP and MSTORE: the offset stays on the stack; `value` is the top of the stack. */
@inline
export function dupMstore(value: usize, offset: usize, gas: i64): i64 {
  const left = growFor(offset, 32, gas);
  if (left >= 0) storeBigEndian(memoryBase + <usize>load<u64>(offset), value);
  return left;
}
/** Fused PUSH of a constant, DUP and MSTORE. */
@inline
export function mstoreSmall(value: u32, offset: usize, gas: i64): i64 {
  const left = growFor(offset, 32, gas);
  if (left < 0) return left;
  const at = memoryBase + <usize>load<u64>(offset);
  v128.store(at, i64x2(0, 0));
  v128.store(at, i64x2.replace_lane(i64x2(0, 0), 1, <u64>bswap<u32>(value) << 32), 16);
  return left;
}
/** MLOAD and MSTORE at a constant offset below 64 KiB. */
@inline
export function mloadAt(sp: usize, offset: u32, gas: i64): i64 {
  const left = offset + 32 <= memorySize ? gas : growTo(offset + 32, 0, gas);
  if (left >= 0) loadBigEndian(sp, memoryBase + offset);
  return left;
}
@inline
export function mstoreAt(sp: usize, offset: u32, gas: i64): i64 {
  const left = offset + 32 <= memorySize ? gas : growTo(offset + 32, 0, gas);
  if (left >= 0) storeBigEndian(memoryBase + offset, sp);
  return left;
}

const digest: usize = memory.data(32, 16);

/** Bytes hashed per step, a multiple of the block size. A step takes 0.3 ms. */
const HASH_PIECE: u32 = 1200 * RATE;
/** Absorbed bytes of the hash in progress, which is already paid for; 0: no hash is in progress. The state of the hash stays in `keccak`. */
let absorbed: u32 = 0;

export function forgetHash(): void {
  absorbed = 0;
}

/** Continues a long hash: the instruction restarts for every step. */
function hashOn(sp: usize, gas: i64): i64 {
  const bytes = memoryBase + <usize>load<u64>(sp) + absorbed;
  const left = <u32>load<u64>(sp - 32) - absorbed;
  if (left >= HASH_PIECE) {
    absorbBlocks(bytes, HASH_PIECE);
    absorbed += HASH_PIECE;
    return setNeed(SLICE_USED);
  }
  absorbed = 0;
  endHash(absorbBlocks(bytes, left), left % RATE, digest);
  loadBigEndian(sp - 32, digest);
  return gas;
}

/** Stack: offset, size. */
export function keccak(sp: usize, gas: i64): i64 {
  if (absorbed != 0) return hashOn(sp, gas);
  const rest = growOver(sp, sp - 32, HASH_WORD_GAS * wordsOf(load<u64>(sp - 32)), gas);
  if (rest < 0) return rest;
  const size = <u32>load<u64>(sp - 32);
  const bytes = memoryBase + (size == 0 ? 0 : <usize>load<u64>(sp));
  if (size > HASH_PIECE) {
    beginHash();
    absorbBlocks(bytes, HASH_PIECE);
    absorbed = HASH_PIECE;
    return pauseAfterPaying(gas - rest);
  }
  hashBytes(sp - 32, bytes, size);
  return rest;
}

/** Writes the hash as a word. */
@inline
function hashBytes(to: usize, bytes: usize, size: u32): void {
  if (size == PAIR_SIZE) return hashPair(bytes, to);
  keccak256(bytes, size, digest);
  loadBigEndian(to, digest);
}

/** Hashes a constant range of memory: the offset is below 64 KiB, the size below one Keccak block. */
@inline
export function keccakRange(to: usize, offset: u32, size: u32, gas: i64): i64 {
  const rest = growUpTo(size == 0 ? 0 : offset + size, HASH_WORD_GAS * wordsOf(size), gas);
  if (rest >= 0) hashBytes(to, memoryBase + offset, size);
  return rest;
}

/** Charges for a copy to memory, and charges the gas `extra`. Stack: destination, source, size. */
export function payCopy(sp: usize, extra: i64, gas: i64): i64 {
  return growOver(sp, sp - 64, extra + COPY_WORD_GAS * wordsOf(load<u64>(sp - 64)), gas);
}

/** Copies bytes of `source` to memory, which has already grown. Bytes beyond the end of the source are zero. */
export function copyPadded(sp: usize, source: usize, sourceSize: u32): void {
  const size = <u32>load<u64>(sp - 64);
  if (size == 0) return;
  const to = memoryBase + <usize>load<u64>(sp);
  const from = fitsU64(sp - 32) && load<u64>(sp - 32) < <u64>sourceSize ? <u32>load<u64>(sp - 32) : sourceSize;
  const present = sourceSize - from < size ? sourceSize - from : size;
  copyBytes(to, source + from, present);
  clearBytes(to + present, size - present);
}

export function calldatacopy(sp: usize, gas: i64): i64 {
  const left = payCopy(sp, 0, gas);
  if (left >= 0) copyPadded(sp, input, inputSize);
  return left;
}

export function codecopy(sp: usize, gas: i64): i64 {
  const left = payCopy(sp, 0, gas);
  if (left >= 0) copyPadded(sp, load<u32>(code, BYTES), load<u32>(code, LENGTH));
  return left;
}

/** EIP-211: reading beyond the end halts. */
export function returndatacopy(sp: usize, gas: i64): i64 {
  const left = payCopy(sp, 0, gas);
  if (left < 0) return left;
  const from = load<u64>(sp - 32);
  if (!fitsU64(sp - 32) || from > <u64>returnSize || from + load<u64>(sp - 64) > <u64>returnSize) return halt(RETURN_DATA_OUT_OF_BOUNDS);
  copyPadded(sp, RETURN_DATA, returnSize);
  return left;
}

/** EIP-5656. Memory grows to cover both ranges, which may overlap. */
export function mcopy(sp: usize, gas: i64): i64 {
  const size = load<u64>(sp - 64);
  const left = growUpTo(max(endOf(sp, sp - 64), endOf(sp - 32, sp - 64)), COPY_WORD_GAS * wordsOf(size), gas);
  if (left >= 0 && size > 0) {
    copyBytes(memoryBase + <usize>load<u64>(sp), memoryBase + <usize>load<u64>(sp - 32), <u32>size);
  }
  return left;
}
