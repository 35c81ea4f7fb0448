/**
 * Scans JSON inside of a list or an object with the table of `json-grammar.ts`, 16 bytes of a string at a time. Stops at the byte that closes the
 * list or object, at invalid JSON, or at nesting above `MAX_LEVELS`. The caller processes the byte at which the scan stops.
 */

/** Copy of `TRANSITIONS` of `json-grammar.ts`, which the caller writes here: the next state by state and byte. */
export const TRANSITIONS: usize = memory.data(38 * 256);

/** States and actions of `json-grammar.ts`. */
const ARRAY_START: u32 = 2;
const VALUE: u32 = 1;
const OBJECT_START: u32 = 3;
const KEY: u32 = 4;
const COLON: u32 = 5;
const AFTER: u32 = 6;
const STRING: u32 = 7;
const MINUS: u32 = 13;
const EXPONENT_DIGITS: u32 = 20;
const CONTINUATION_1: u32 = 31;
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

/**
 * The caller of the scan fills this table. Word n is a bit set of the first letters of quantity names with n characters; the lowest five bits of a
 * letter are its bit number. Word 0 is for all lengths. `LAST_LETTERS` is a table of the same form for the last letters.
 */
export const FIRST_LETTERS: usize = memory.data(4 * 32);
export const LAST_LETTERS: usize = memory.data(4 * 32);
/**
 * Positions of member values that may be quantities with leading zeros, after the opening quote. A value with its name takes at least ten bytes, so
 * 64 KiB contain at most 6,600.
 */
export const PADDED: usize = memory.data(4 * 6_600);
/** Number of bytes before `start` that the caller fills with the preceding text. */
export const BEFORE: u32 = 160;
/** Length of `0x` and 64 digits. */
const MAX_QUANTITY: u32 = 66;
/** `0x0`, the beginning of a quantity with a leading zero, as a little-endian number. */
const PADDED_BEGIN: u32 = 0x30_78_30;

/** `":`, `:"` and `,"` as little-endian numbers. */
const NAME_END: u16 = 0x3a22;
const TEXT_BEGIN: u16 = 0x223a;
const NEXT_TEXT: u16 = 0x222c;

const QUOTE: u8 = 0x22;
const COLON_BYTE: u8 = 0x3a;
const BACKSLASH: u8 = 0x5c;
const BLANK: i8 = 0x20;

/** Last byte of `null`, `l`; `true` and `false` end with `e`. */
const NULL_END: u8 = 0x6c;
/**
 * Distance from the last byte of `null` back to the colon, in JSON without white space. `TO_NAME` is the distance to the last letter of the member
 * name.
 */
const TO_COLON: usize = 4;
const TO_NAME: usize = 6;

/** Maximum nesting, limited by the bits of `lists`. */
export const MAX_LEVELS: u32 = 30;

/**
 * Results of the last scan, with which the next scan must be started: the state of the grammar, whether the current string is a key, one bit per
 * level (1 for a list, innermost level lowest), and the number of levels.
 */
export let state: u32 = 0;
export let isInKey: bool = false;
export let lists: u32 = 0;
export let levels: u32 = 0;

/** Number of values and keys that ended and containers that began in the scanned bytes; the next three variables are the longest lengths in bytes. */
export let values: u32 = 0;
export let longestText: u32 = 0;
export let longestName: u32 = 0;
export let longestNumber: u32 = 0;
/** Length so far of a string (without its quote) or number that continues after the scanned bytes. */
export let openBytes: u32 = 0;

/** Number of entries in `PADDED`. */
export let padded: u32 = 0;
/** Whether the scanned bytes contain the end of a `null` that may stand for a list. */
export let hasNull: bool = false;
/** Bit set of the lengths of list names; filled by the caller. */
export const LIST_LENGTHS: usize = memory.data(4);

@inline
function isNumber(state: u32): bool {
  return state >= MINUS && state <= EXPONENT_DIGITS;
}

@inline
function isString(state: u32): bool {
  return state >= STRING && (state < MINUS || state >= CONTINUATION_1);
}

/**
 * Returns the length in bytes of the number that ends before `at`.
 * @param cut number of bytes of the number that precede `start`
 */
function countDigits(start: usize, at: usize, cut: u32): u32 {
  let from = at;
  while (from > start) {
    const byte = <u32>load<u8>(from - 1);
    const isDigit = byte - 0x30 < 10 || (byte | 0x20) == 0x65 || byte == 0x2b || byte == 0x2d || byte == 0x2e;
    if (!isDigit) return <u32>(at - from);
    from--;
  }
  return <u32>(at - from) + cut;
}

/** Advances to the next byte of a string that is a quote, a backslash, a control character or not ASCII. Stops fewer than 16 bytes before `end`. */
@inline
function skipCharacters(at: usize, end: usize): usize {
  while (at + 16 <= end) {
    const bytes = v128.load(at);
    // In a signed comparison, bytes above 0x7f are negative, so they count as less than a blank.
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

/** Moves back over white space, not beyond `least`. */
@inline
function skipBlankBack(at: usize, least: usize): usize {
  let to = at;
  while (to > least && load<u8>(to) <= <u8>BLANK) to--;
  return to;
}

/**
 * Whether a value may belong to a member that is named like a quantity, by the length and the first and last letter of the name.
 * @param at position behind the value's quote
 * @param least first position whose bytes are filled
 */
function mayBeQuantity(at: usize, least: usize): bool {
  // Fast path for JSON without white space. Most values that begin with `0x0` are data and not quantities; the last letter of the member name shows
  // this.
  if (load<u16>(at - 3) == NAME_END && ((load<u32>(LAST_LETTERS) >> (load<u8>(at - 4) & 31)) & 1) == 0)
    return false;
  const colon = skipBlankBack(at - 2, least);
  if (load<u8>(colon) != COLON_BYTE) return false;
  const last = skipBlankBack(colon - 1, least) - 1;
  let first = last;
  while (first > least && last - first < 31 && load<u8>(first - 1) != QUOTE) first--;
  const letters = (<usize>(last - first) + 1) << 2;
  if (letters >= 4 * 32) return false;
  return (
    ((load<u32>(FIRST_LETTERS + letters) >> (load<u8>(first) & 31)) & 1) != 0 &&
    ((load<u32>(LAST_LETTERS + letters) >> (load<u8>(last) & 31)) & 1) != 0
  );
}

/**
 * Removes from the first `count` entries of `PADDED` the values that cannot be quantities.
 * @returns number of entries that remain in `PADDED`
 */
function keepQuantities(count: u32, least: usize): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const at = load<u32>(PADDED + (<usize>i << 2));
    if (!mayBeQuantity(at, least)) continue;
    store<u32>(PADDED + (<usize>kept << 2), at);
    kept++;
  }
  return kept;
}

/**
 * Whether a `null` may be the value of a member that is named like a list, by the length of the name.
 * @param at position of the last byte of `null`
 */
function mayBeList(at: usize): bool {
  if (load<u8>(at - TO_COLON) != COLON_BYTE || load<u8>(at - TO_COLON - 1) != QUOTE) return true;
  let length: usize = 0;
  while (length < 31 && load<u8>(at - TO_NAME - length) != QUOTE) length++;
  return ((load<u32>(LIST_LENGTHS) >> <u32>length) & 1) != 0;
}

/**
 * Scans the bytes from `start` to `end`.
 * @param before initial `state`
 * @param inKey initial `isInKey`
 * @param areLists initial `lists`
 * @param open initial `levels`
 * @param cut initial `openBytes`
 * @returns the position at which it stopped
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
  let noted = PADDED;
  let count: u32 = 0;
  let text: u32 = 0;
  let name: u32 = 0;
  let digits: u32 = 0;
  let mayLack = false;
  let isOpen = isString(before);
  /** Start of the open string, if all bytes before `start` were in memory directly before it. The value may wrap below 0. */
  let textStart = <u32>start - cut;
  const digitsBefore: u32 = isNumber(before) ? cut : 0;
  let at = start;
  let now = before;
  let isKey = inKey;
  let kinds = areLists;
  let depth = open;
  while (at < end) {
    if (now == STRING) {
      if (!isOpen) {
        isOpen = true;
        textStart = <u32>at;
      }
      at = skipCharacters(at, end);
      if (at == end) break;
    }
    const entry = <u32>load<u8>(TRANSITIONS + ((<usize>now << 8) | <usize>load<u8>(at)));
    if (entry < OPEN_OBJECT) {
      now = entry & STATE_BITS;
      at++;
      continue;
    }
    if (entry == END_STRING) {
      const length = <u32>at - textStart;
      if (isKey) {
        if (length > name) name = length;
      } else {
        if (length > text) text = length;
        // The names are checked after the loop, so that the loop makes no function call.
        if (
          length - 4 <= MAX_QUANTITY - 4 &&
          (load<u32>(textStart) & 0xff_ff_ff) == PADDED_BEGIN &&
          (kinds & 1) == 0
        ) {
          store<u32>(noted, textStart);
          noted += 4;
        }
      }
      count++;
      // Fast path for JSON without white space: a string follows most names, and a name or string follows most strings.
      if (at + 2 < end && load<u16>(at + 1) == (isKey ? TEXT_BEGIN : NEXT_TEXT)) {
        isKey = !isKey && (kinds & 1) == 0;
        now = STRING;
        at += 3;
        textStart = <u32>at;
        continue;
      }
      isOpen = false;
      now = isKey ? COLON : AFTER;
      isKey = false;
    } else if (entry == COMMA) {
      now = (kinds & 1) != 0 ? VALUE : KEY;
    } else if (entry == BEGIN_KEY) {
      isKey = true;
      now = STRING;
    } else if (entry == OPEN_OBJECT || entry == OPEN_ARRAY) {
      if (depth == MAX_LEVELS) break;
      depth++;
      count++;
      // The lowest bit of the entry is 1 for a list and 0 for an object.
      kinds = (kinds << 1) | (entry & 1);
      now = (entry & 1) != 0 ? ARRAY_START : OBJECT_START;
    } else if (entry == CLOSE_OBJECT || entry == CLOSE_ARRAY) {
      if (depth == 1 || (kinds & 1) != (entry & 1)) break;
      depth--;
      kinds >>= 1;
      now = AFTER;
    } else if (entry == END_LITERAL) {
      if (!mayLack && load<u8>(at) == NULL_END) mayLack = mayBeList(at);
      count++;
      now = AFTER;
    } else if (entry == END_NUMBER) {
      const length = countDigits(start, at, digitsBefore);
      if (length > digits) digits = length;
      count++;
      now = AFTER;
      continue;
    } else break;
    at++;
  }
  padded = noted == PADDED ? 0 : keepQuantities(<u32>(noted - PADDED) >> 2, start - BEFORE);
  hasNull = mayLack;
  state = now;
  isInKey = isKey;
  lists = kinds;
  levels = depth;
  values = count;
  openBytes = isOpen ? <u32>at - textStart : isNumber(now) ? countDigits(start, at, digitsBefore) : 0;
  // A string, name or number that continues after the scanned bytes counts with its length so far.
  longestText = isOpen && !isKey ? max(text, openBytes) : text;
  longestName = isOpen && isKey ? max(name, openBytes) : name;
  longestNumber = isNumber(now) ? max(digits, openBytes) : digits;
  return at;
}
