/** Codes by hash, with their decoded forms, in the region CODES. A decoded form belongs to one revision, so a code has one entry per revision. */
import { unlinkCodes } from './accounts.ts';
import { beginDecoding, decodedEnd, decodedSize, decodeOn, isDecoding } from './decode.ts';
import { endOfRunningCodes } from './frames.ts';
import { hashCode } from './hashing.ts';
import { CODE_INDEX, CODE_INDEX_SIZE, CODES, CODES_END, SLACK } from './generated/layout.ts';
import { revision } from './rules.ts';
import { copyWord } from './words/word.ts';

/** Byte offset of the code hash, a word. */
const HASH: usize = 0;
export const BYTES: usize = 32;
export const LENGTH: usize = 36;
/** Address of the first instruction; 0 while the code is not decoded. */
export const INSTRUCTIONS: usize = 40;
/**
 * Address of the jump table, with one entry per byte of code: the address of a jump destination's instruction, or 0 where there is no destination.
 */
export const JUMPS: usize = 44;
const REVISION: usize = 48;
/** End of the entry's data: the end of the decoded form, or of the bytes while the code is not decoded. */
const END: usize = 52;
/** Address of the previously created entry; 0 for the first entry. */
const PREVIOUS: usize = 56;
export const CODE_SIZE: usize = 64;

/** Bytes that must remain free after eviction, since one instruction may need two codes at a time (EIP-7702). */
const ROOM: u32 = 6 << 20;

let codesEnd: usize = CODES;
let codesCount: u32 = 0;
let newest: usize = 0;
/** Codes that end before this address are not evicted, because the underlying state does not have them yet. */
let keptEnd: usize = CODES;

function align(size: usize): usize {
  return (size + 15) & ~15;
}
function sizeOf(length: u32): usize {
  return CODE_SIZE + align(length + SLACK);
}

/** Returns the entry of a hash; 0 when it is not cached. */
export function findCode(hash: usize): usize {
  const pointer = placeOf(hash, revision);
  return <usize>load<u32>(pointer);
}

function placeOf(hash: usize, number: u32): usize {
  const h0 = load<u64>(hash);
  let place = <u32>(hashCode(h0, number) >> 48) & (CODE_INDEX_SIZE - 1);
  while (true) {
    const pointer = CODE_INDEX + (<usize>place << 2);
    const entry = <usize>load<u32>(pointer);
    if (entry == 0) return pointer;
    if (
      load<u64>(entry) == h0 && load<u64>(entry, 8) == load<u64>(hash, 8) && load<u64>(entry, 16) == load<u64>(hash, 16) &&
      load<u64>(entry, 24) == load<u64>(hash, 24) && load<u32>(entry, REVISION) == number
    ) return pointer;
    place = (place + 1) & (CODE_INDEX_SIZE - 1);
  }
}

/** Size of all cached codes with their decoded forms, bytes. */
export function codesSize(): u32 {
  return <u32>(codesEnd - CODES);
}

/** Creates an entry; the caller writes the bytes of the code. Returns 0 when the region is full. */
export function addCode(hash: usize, length: u32): usize {
  if (length > <u32>(CODES_END - CODES)) return 0;
  const size = sizeOf(length);
  if (!hasRoom(size) && !forgetIdleCodes(size)) return 0;
  const entry = codesEnd;
  codesEnd += size;
  codesCount++;
  memory.fill(entry, 0, CODE_SIZE);
  copyWord(entry + HASH, hash);
  initializeCode(entry, entry + CODE_SIZE, length);
  memory.fill(entry + CODE_SIZE + length, 0, SLACK);
  store<u32>(entry, codesEnd, END);
  store<u32>(entry, newest, PREVIOUS);
  newest = entry;
  store<u32>(placeOf(hash, revision), entry);
  return entry;
}

/** Initializes an entry whose bytes are stored elsewhere, such as initialisation code; `entry` has room for CODE_SIZE. */
export function initializeCode(entry: usize, bytes: usize, length: u32): void {
  store<u32>(entry, bytes, BYTES);
  store<u32>(entry, length, LENGTH);
  store<u32>(entry, 0, INSTRUCTIONS);
  store<u32>(entry, revision, REVISION);
}

@inline
export function isDecoded(entry: usize): bool {
  return load<u32>(entry, INSTRUCTIONS) != 0;
}

/** Whether the decoded form of a code fits behind the other codes. If it does not fit, `forgetOthers` may make room. */
export function hasRoomToDecode(entry: usize): bool {
  return hasRoom(decodedSize(load<u32>(entry, LENGTH)));
}

/**
 * Decodes a cached code at its first execution. The caller must check `hasRoomToDecode` before.
 * @returns false if decoding is not complete; the next call continues it
 */
export function prepareCode(entry: usize): bool {
  if (!isDecoding(entry, codesEnd)) beginDecoding(entry, codesEnd);
  if (!decodeOn()) return false;
  codesEnd = align(decodedEnd);
  store<u32>(entry, codesEnd, END);
  return true;
}

/** Returns the end of a code's entry. Initialisation code is stored outside of the region CODES, so the result is the start of the region. */
export function endOfCode(entry: usize): usize {
  return entry >= CODES && entry < CODES_END ? <usize>load<u32>(entry, END) : CODES;
}

/** Protects the new code of an account from eviction until changes are collected. */
export function keepCode(entry: usize): void {
  keptEnd = max(keptEnd, endOfCode(entry));
}
export function releaseCodes(): void {
  keptEnd = CODES;
}

function hasRoom(size: u64): bool {
  return <u64>codesEnd + size <= <u64>CODES_END && codesCount < CODE_INDEX_SIZE >> 1;
}

/** Evicts codes that are not running, if that can make room for `size` bytes. @returns false when there is no room */
function forgetIdleCodes(size: u64): bool {
  const from = max(keptEnd, endOfRunningCodes());
  if (<u64>from + size + ROOM > <u64>CODES_END) return false;
  forgetCodesFrom(from);
  return hasRoom(size);
}

/**
 * Evicts codes to make room for this code and its decoded form. The code at `entry` may be evicted, too.
 * @returns false when the code is too long
 */
export function forgetOthers(entry: usize): bool {
  const length = load<u32>(entry, LENGTH);
  return forgetIdleCodes(sizeOf(length) + decodedSize(length));
}

/** Evicts the codes that begin at or after `from`, and the decoded forms that end after `from`. */
function forgetCodesFrom(from: usize): void {
  memory.fill(CODE_INDEX, 0, CODE_INDEX_SIZE << 2);
  unlinkCodes(from);
  while (newest >= from) newest = <usize>load<u32>(newest, PREVIOUS);
  codesEnd = from;
  codesCount = 0;
  for (let entry = newest; entry != 0; entry = <usize>load<u32>(entry, PREVIOUS)) {
    if (<usize>load<u32>(entry, END) > from) {
      store<u32>(entry, 0, INSTRUCTIONS);
      store<u32>(entry, from, END);
    }
    const place = placeOf(entry + HASH, load<u32>(entry, REVISION));
    if (load<u32>(place) != 0) continue;
    store<u32>(place, entry);
    codesCount++;
  }
}

export function clearCodes(): void {
  memory.fill(CODE_INDEX, 0, CODE_INDEX_SIZE << 2);
  codesEnd = CODES;
  codesCount = 0;
  newest = 0;
  keptEnd = CODES;
}
