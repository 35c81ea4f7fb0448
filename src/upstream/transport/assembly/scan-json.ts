/**
 * Goes through JSON inside of a list or an object by the table of `json-grammar.ts`, 16 bytes of a string at a time. It stops where that is closed, at
 * what is no JSON and where levels do not fit: such a byte is left to the caller.
 */

/** Of `json-grammar.ts`, written by the caller: the next state by state and byte. */
export const TRANSITIONS: usize = memory.data(38 * 256);

/** Of `json-grammar.ts`. */
const ARRAY_START: u32 = 2;
const VALUE: u32 = 1;
const OBJECT_START: u32 = 3;
const KEY: u32 = 4;
const COLON: u32 = 5;
const AFTER: u32 = 6;
const STRING: u32 = 7;
const MINUS: u32 = 13;
const EXPONENT_DIGITS: u32 = 20;
const BEGINS_VALUE: u32 = 0x40;
const STATE_BITS: u32 = 0x3f;
const OPEN_OBJECT: u32 = 0x80;
const OPEN_ARRAY: u32 = 0x81;
const CLOSE_OBJECT: u32 = 0x82;
const CLOSE_ARRAY: u32 = 0x83;
const COMMA: u32 = 0x84;
const BEGIN_KEY: u32 = 0x85;
const END_STRING: u32 = 0x86;
const END_LITERAL: u32 = 0x87;
const END_NUMBER: u32 = 0x88;

const QUOTE: u8 = 0x22;
const BACKSLASH: u8 = 0x5c;
const BLANK: i8 = 0x20;

/** Levels that fit. */
export const MAX_LEVELS: u32 = 30;

/** Where it has come to: the state of the grammar, whether a string is a key, whether each level is a list, the inmost in the lowest bit, and how many there are. */
export let state: u32 = 0;
export let isInKey: bool = false;
export let lists: u32 = 0;
export let levels: u32 = 0;

/** Values, keys and containers that began in these bytes, and the lengths of the longest string and number that ended in them, bytes. */
export let values: u32 = 0;
export let longestText: u32 = 0;
export let longestNumber: u32 = 0;
/** Bytes so far of the string, number or literal that the end of these bytes cuts; 0 outside of one. */
export let openBytes: u32 = 0;

/** Goes to the next byte of a string that is not a character by itself, or to the end. */
@inline
function skipCharacters(at: usize, end: usize): usize {
  while (at + 16 <= end) {
    const bytes = v128.load(at);
    // As signed numbers, bytes above 0x7f are below a blank.
    const found = i8x16.bitmask(
      v128.or(
        i8x16.lt_s(bytes, i8x16.splat(BLANK)),
        v128.or(i8x16.eq(bytes, i8x16.splat(QUOTE)), i8x16.eq(bytes, i8x16.splat(BACKSLASH))),
      ),
    );
    if (found != 0) return at + ctz<u32>(found);
    at += 16;
  }
  return at;
}

/**
 * Goes on with these bytes.
 * @param before as `state` @param inKey as `isInKey` @param areLists as `lists` @param open as `levels` @param cut as `openBytes`
 * @returns where it stopped
 */
export function scan(
  start: usize,
  end: usize,
  before: u32,
  inKey: bool,
  areLists: u32,
  open: u32,
  cut: u32,
): usize {
  let count: u32 = 0;
  let text: u32 = 0;
  let digits: u32 = 0;
  let isOpen = cut > 0;
  /** Where the open token began, as if the bytes before had been here too: it may be below 0. */
  let tokenStart = <u32>start - cut;
  let at = start;
  let now = before;
  let isKey = inKey;
  let kinds = areLists;
  let depth = open;
  while (at < end) {
    if (now == STRING) {
      at = skipCharacters(at, end);
      if (at == end) break;
    }
    const entry = <u32>load<u8>(TRANSITIONS + ((<usize>now << 8) | <usize>load<u8>(at)));
    if (entry < OPEN_OBJECT) {
      if (entry >= BEGINS_VALUE) {
        count++;
        tokenStart = <u32>at;
        isOpen = true;
      }
      now = entry & STATE_BITS;
      at++;
      continue;
    }
    if (entry == END_STRING) {
      // Without the quote that it began with.
      const length = <u32>at - tokenStart - 1;
      if (length > text) text = length;
      isOpen = false;
      now = isKey ? COLON : AFTER;
      isKey = false;
    } else if (entry == COMMA) {
      now = (kinds & 1) != 0 ? VALUE : KEY;
    } else if (entry == BEGIN_KEY) {
      isKey = true;
      count++;
      tokenStart = <u32>at;
      isOpen = true;
      now = STRING;
    } else if (entry == OPEN_OBJECT || entry == OPEN_ARRAY) {
      if (depth == MAX_LEVELS) break;
      depth++;
      count++;
      // The lowest bit tells lists from objects.
      kinds = (kinds << 1) | (entry & 1);
      now = (entry & 1) != 0 ? ARRAY_START : OBJECT_START;
    } else if (entry == CLOSE_OBJECT || entry == CLOSE_ARRAY) {
      if (depth == 1 || (kinds & 1) != (entry & 1)) break;
      depth--;
      kinds >>= 1;
      now = AFTER;
    } else if (entry == END_LITERAL) {
      isOpen = false;
      now = AFTER;
    } else if (entry == END_NUMBER) {
      const length = <u32>at - tokenStart;
      if (length > digits) digits = length;
      isOpen = false;
      now = AFTER;
      continue;
    } else break;
    at++;
  }
  state = now;
  isInKey = isKey;
  lists = kinds;
  levels = depth;
  values = count;
  openBytes = isOpen ? <u32>at - tokenStart : 0;
  // A token that these bytes cut counts as far as it has come.
  const isNumber = now >= MINUS && now <= EXPONENT_DIGITS;
  if (isNumber) longestNumber = max(digits, openBytes);
  else longestNumber = digits;
  longestText = isNumber || openBytes == 0 ? text : max(text, openBytes - 1);
  return at;
}
