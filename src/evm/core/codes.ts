/**
 * Codes by hash, with what was decoded of them: the region CODES. An entry's decoded form belongs to one revision; the
 * same code under two revisions is two entries.
 */
import { decode, decodedSize } from './decode.ts';
import { CODE_INDEX, CODE_INDEX_SIZE, CODES, CODES_END, SLACK } from './layout.ts';
import { revision } from './rules.ts';
import { copyWord } from './words/word.ts';

/** The hash, a word. */
const HASH: usize = 0;
export const BYTES: usize = 32;
export const LENGTH: usize = 36;
/** First instruction; 0 while the code is not decoded. */
export const INSTRUCTIONS: usize = 40;
/** Per byte of code the instruction that a jump there leads to; 0: no jump may lead there. */
export const JUMPS: usize = 44;
const REVISION: usize = 48;
export const CODE_SIZE: usize = 64;

let codesEnd: usize = CODES;
let codesCount: u32 = 0;

function align(size: usize): usize {
  return (size + 15) & ~15;
}

/** The entry of a hash; 0 when it is not here. */
export function findCode(hash: usize): usize {
  const pointer = placeOf(hash);
  return <usize>load<u32>(pointer);
}

function placeOf(hash: usize): usize {
  const h0 = load<u64>(hash);
  let place = <u32>(h0 ^ <u64>revision) & (CODE_INDEX_SIZE - 1);
  while (true) {
    const pointer = CODE_INDEX + (<usize>place << 2);
    const entry = <usize>load<u32>(pointer);
    if (entry == 0) return pointer;
    if (
      load<u64>(entry) == h0 && load<u64>(entry, 8) == load<u64>(hash, 8) && load<u64>(entry, 16) == load<u64>(hash, 16) &&
      load<u64>(entry, 24) == load<u64>(hash, 24) && load<u32>(entry, REVISION) == revision
    ) return pointer;
    place = (place + 1) & (CODE_INDEX_SIZE - 1);
  }
}

/** Bytes that codes take. */
export function codesSize(): u32 {
  return <u32>(codesEnd - CODES);
}

/** Makes an entry whose bytes are still to be written. 0: the region is full. */
export function addCode(hash: usize, length: u32): usize {
  const size = CODE_SIZE + align(length + SLACK);
  if (codesEnd + size > CODES_END || codesCount >= CODE_INDEX_SIZE >> 1) return 0;
  const entry = codesEnd;
  codesEnd += size;
  codesCount++;
  memory.fill(entry, 0, CODE_SIZE);
  copyWord(entry + HASH, hash);
  initializeCode(entry, entry + CODE_SIZE, length);
  memory.fill(entry + CODE_SIZE + length, 0, SLACK);
  store<u32>(placeOf(hash), entry);
  return entry;
}

/** An entry of bytes that lie elsewhere, as initialisation code does; `entry` has room for CODE_SIZE. */
export function initializeCode(entry: usize, bytes: usize, length: u32): void {
  store<u32>(entry, bytes, BYTES);
  store<u32>(entry, length, LENGTH);
  store<u32>(entry, 0, INSTRUCTIONS);
  store<u32>(entry, revision, REVISION);
}

/** Decodes a cached code at its first execution. False: the region is full. */
export function prepareCode(entry: usize): bool {
  if (load<u32>(entry, INSTRUCTIONS) != 0) return true;
  const room = decodedSize(load<u32>(entry, LENGTH));
  if (codesEnd + room > CODES_END) return false;
  codesEnd = align(decode(entry, codesEnd));
  return true;
}

export function clearCodes(): void {
  memory.fill(CODE_INDEX, 0, CODE_INDEX_SIZE << 2);
  codesEnd = CODES;
  codesCount = 0;
}
