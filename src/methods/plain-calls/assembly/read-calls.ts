/**
 * Parser of fast-path bodies. A fast-path body contains only `eth_call` with recipient, data, sender and gas, at `latest` or at a block number.
 * Members may be in any order, and whitespace may be where JSON allows it. A body with anything else does not take the fast path. An accepted body is
 * valid JSON, and a full JSON parser would read the same calls from it.
 *
 * Reads may run up to 31 bytes past the end of the text, and writes up to 31 bytes past the end of the bytes.
 */

/** Memory layout of the WebAssembly module. These values must equal the values in `read-plain-calls.ts`. */
const TEXT: usize = 4096;
const TABLE: usize = TEXT + (64 << 10) + 64;
const ENTRY_SIZE: usize = 64;
/** Start of the decoded bytes. 656 entries suffice for 64 KiB, because a fast-path item is longer than 100 characters. */
const BYTES: usize = TABLE + 656 * ENTRY_SIZE;
const ADDRESS_SIZE: usize = 20;
const ADDRESS_DIGITS: i32 = 40;

/**
 * Byte offsets of an entry's fields. Each field has four bytes, except block and gas, which are f64. Positions in the text are offsets from `TEXT`,
 * and positions in the decoded bytes are offsets from `BYTES`.
 */
const ITEM_START: usize = 0;
const ITEM_END: usize = 4;
const ID_START: usize = 8;
const ID_END: usize = 12;
/** Numeric id if it is less than 10^9; otherwise `NO_NUMBER`. */
const ID_NUMBER: usize = 16;
const FROM: usize = 20;
const TO: usize = 24;
const DATA: usize = 28;
const DATA_SIZE: usize = 32;
const ZEROS: usize = 36;
/** Number of the block, or `LATEST`. */
const BLOCK: usize = 40;
/** Gas of the call, or `NO_GAS_LIMIT`. */
const GAS: usize = 48;
/** Start and end of the call object in the text, four bytes each. */
const CALL_START: usize = 56;
const CALL_END: usize = 60;
const NO_NUMBER: u32 = 0xffffffff;
const LATEST: f64 = -1;
const NO_GAS_LIMIT: f64 = f64.POSITIVE_INFINITY;

const MAX_ID_LENGTH: usize = 64;
const MAX_NUMBER_DIGITS: usize = 9;
/** An f64 represents every number of up to 13 hex digits (52 bits) exactly. */
const MAX_QUANTITY_DIGITS: i32 = 13;

const QUOTE: u8 = 0x22;
const COMMA: u8 = 0x2c;
const COLON: u8 = 0x3a;
const BACKSLASH: u8 = 0x5c;
const OPEN_LIST: u8 = 0x5b;
const CLOSE_LIST: u8 = 0x5d;
const OPEN_OBJECT: u8 = 0x7b;
const CLOSE_OBJECT: u8 = 0x7d;
const DIGIT_0: u8 = 0x30;
const LETTER_A: u8 = 0x61;
/** OR mask that converts letters to lower case, and leaves decimal digits unchanged (ASCII). */
const LOWER_CASE: u8 = 0x20;

/** Parts of JSON keys and values as little-endian words, each compared with one load. */
const JSONRPC_KEY: u64 = 0x6370726e6f736a22; // "jsonrpc
const ID_KEY: u32 = 0x22646922; // "id"
const METHOD_KEY: u64 = 0x22646f6874656d22; // "method"
const PARAMS_KEY: u64 = 0x22736d6172617022; // "params"
const VERSION: u32 = 0x302e3222; // "2.0
const METHOD: u64 = 0x6c61635f68746522; // "eth_cal
const METHOD_END: u16 = 0x226c; // l"
const TO_KEY: u32 = 0x226f7422; // "to"
const FROM_KEY: u32 = 0x6f726622; // "fro
const FROM_KEY_END: u16 = 0x226d; // m"
const DATA_KEY: u32 = 0x74616422; // "dat
const DATA_KEY_END: u16 = 0x2261; // a"
const INPUT_KEY: u32 = 0x706e6922; // "inp
const INPUT_KEY_END: u32 = 0x22747570; // put"
const GAS_KEY: u32 = 0x73616722; // "gas
const LATEST_TAG: u64 = 0x2274736574616c22; // "latest"
const HEX_START: u32 = 0x783022; // "0x, in the lower three bytes

/** Members seen in a request object or a call object, as bits. A body with a duplicate member does not take the fast path. */
const HAS_JSONRPC: u32 = 1;
const HAS_ID: u32 = 2;
const HAS_METHOD: u32 = 4;
const HAS_PARAMS: u32 = 8;
const IS_COMPLETE: u32 = 15;
const HAS_TO: u32 = 1;
const HAS_FROM: u32 = 2;
const HAS_DATA: u32 = 4;
const HAS_GAS: u32 = 8;

/** Address of the next character to read, and address of the next byte to write. */
let at: usize = TEXT;
let written: usize = BYTES;
/** Number of zero bytes that the last run of hex digits encodes. */
let zeros: u32 = 0;

/** Returns the end of the written bytes, as an offset from `BYTES`. */
export function bytesEnd(): u32 {
  return <u32>(written - BYTES);
}

/**
 * Parses the text at `TEXT`.
 * @param length bytes of text
 * @returns the number of items of a batch; -1 for a single request; 0 if the body does not qualify
 */
export function readCalls(length: u32, maxItems: u32): i32 {
  at = TEXT;
  // A zero byte terminates the text. No accepted character is 0, so parsing stops at the end.
  v128.store(TEXT + length, i8x16.splat(0));
  memory.fill(BYTES, 0, ADDRESS_SIZE);
  written = BYTES + ADDRESS_SIZE;
  let count: i32 = 0;
  skipBlanks();
  if (load<u8>(at) == OPEN_LIST) {
    do {
      at++;
      skipBlanks();
      if (<u32>count == maxItems || !readItem(TABLE + <usize>count * ENTRY_SIZE)) return 0;
      count++;
      skipBlanks();
    } while (load<u8>(at) == COMMA);
    if (load<u8>(at) != CLOSE_LIST) return 0;
    at++;
  } else {
    if (!readItem(TABLE)) return 0;
    count = -1;
  }
  skipBlanks();
  return at == TEXT + length ? count : 0;
}

@inline
function skipBlanks(): void {
  for (let c = load<u8>(at); c == 0x20 || c == 0x0a || c == 0x0d || c == 0x09; c = load<u8>(++at));
}

/** Skips a key of `length` characters, its colon, and the whitespace around the colon. False if the colon is missing. */
@inline
function skipKey(length: usize): bool {
  at += length;
  skipBlanks();
  if (load<u8>(at) != COLON) return false;
  at++;
  skipBlanks();
  return true;
}

/** Whether a comma announces another member. Without a comma, the position is at the end of the object or list, or at an invalid character. */
@inline
function hasNext(): bool {
  skipBlanks();
  if (load<u8>(at) != COMMA) return false;
  at++;
  skipBlanks();
  return true;
}

function readItem(entry: usize): bool {
  if (load<u8>(at) != OPEN_OBJECT) return false;
  store<u32>(entry, <u32>(at - TEXT), ITEM_START);
  at++;
  skipBlanks();
  let seen: u32 = 0;
  do {
    let member: u32 = 0;
    if (load<u32>(at) == ID_KEY) {
      member = HAS_ID;
      if (!skipKey(4) || !readId(entry)) return false;
    } else if (load<u64>(at) == PARAMS_KEY) {
      member = HAS_PARAMS;
      if (!skipKey(8) || !readParams(entry)) return false;
    } else if (load<u64>(at) == METHOD_KEY) {
      member = HAS_METHOD;
      if (!skipKey(8) || load<u64>(at) != METHOD || load<u16>(at, 8) != METHOD_END) return false;
      at += 10;
    } else if (load<u64>(at) == JSONRPC_KEY && load<u8>(at, 8) == QUOTE) {
      member = HAS_JSONRPC;
      if (!skipKey(9) || load<u32>(at) != VERSION || load<u8>(at, 4) != QUOTE) return false;
      at += 5;
    } else return false;
    if ((seen & member) != 0) return false;
    seen |= member;
  } while (hasNext());
  if (load<u8>(at) != CLOSE_OBJECT) return false;
  at++;
  store<u32>(entry, <u32>(at - TEXT), ITEM_END);
  return seen == IS_COMPLETE;
}

/**
 * Parses an id: an unsigned integer, or a short string of visible ASCII without escapes. An id of this form has only one JSON encoding, so the
 * response can repeat its text.
 */
function readId(entry: usize): bool {
  const start = at;
  const first = load<u8>(at);
  let number: u32 = NO_NUMBER;
  if (first == QUOTE) {
    let c = load<u8>(++at);
    for (; c != QUOTE; c = load<u8>(++at)) {
      if (c < 0x20 || c > 0x7e || c == BACKSLASH || at - start > MAX_ID_LENGTH) return false;
    }
    at++;
  } else {
    let value: u32 = 0;
    let digit = <u32>(first - DIGIT_0);
    for (; digit <= 9; digit = <u32>(load<u8>(++at) - DIGIT_0)) value = value * 10 + digit;
    const length = at - start;
    if (length == 0 || length > MAX_ID_LENGTH || (first == DIGIT_0 && length > 1)) return false;
    if (length <= MAX_NUMBER_DIGITS) number = value;
  }
  store<u32>(entry, <u32>(start - TEXT), ID_START);
  store<u32>(entry, <u32>(at - TEXT), ID_END);
  store<u32>(entry, number, ID_NUMBER);
  return true;
}

function readParams(entry: usize): bool {
  if (load<u8>(at) != OPEN_LIST) return false;
  at++;
  skipBlanks();
  if (!readCall(entry)) return false;
  store<f64>(entry, LATEST, BLOCK);
  if (hasNext() && !readBlock(entry)) return false;
  skipBlanks();
  if (load<u8>(at) != CLOSE_LIST) return false;
  at++;
  return true;
}

function readCall(entry: usize): bool {
  if (load<u8>(at) != OPEN_OBJECT) return false;
  store<u32>(entry, <u32>(at - TEXT), CALL_START);
  at++;
  skipBlanks();
  store<u32>(entry, 0, FROM);
  store<u32>(entry, 0, DATA);
  store<u32>(entry, 0, DATA_SIZE);
  store<u32>(entry, 0, ZEROS);
  store<f64>(entry, NO_GAS_LIMIT, GAS);
  let seen: u32 = 0;
  do {
    let member: u32 = HAS_DATA;
    const key = load<u32>(at);
    if (key == TO_KEY) {
      member = HAS_TO;
      store<u32>(entry, bytesEnd(), TO);
      if (!skipKey(4) || !readAddress()) return false;
    } else if (key == DATA_KEY && load<u16>(at, 4) == DATA_KEY_END) {
      if (!skipKey(6) || !readData(entry)) return false;
    } else if (key == INPUT_KEY && load<u32>(at, 3) == INPUT_KEY_END) {
      if (!skipKey(7) || !readData(entry)) return false;
    } else if (key == FROM_KEY && load<u16>(at, 4) == FROM_KEY_END) {
      member = HAS_FROM;
      store<u32>(entry, bytesEnd(), FROM);
      if (!skipKey(6) || !readAddress()) return false;
    } else if (key == GAS_KEY && load<u8>(at, 4) == QUOTE) {
      member = HAS_GAS;
      if (!skipKey(5) || !readQuantity(entry + GAS)) return false;
    } else return false;
    if ((seen & member) != 0) return false;
    seen |= member;
  } while (hasNext());
  if (load<u8>(at) != CLOSE_OBJECT) return false;
  at++;
  store<u32>(entry, <u32>(at - TEXT), CALL_END);
  return (seen & HAS_TO) != 0;
}

/**
 * Decodes a hex string with its quotes and `0x` into bytes.
 * @returns its number of digits, or -1 if invalid
 */
function readHex(): i32 {
  if ((load<u32>(at) & 0xffffff) != HEX_START) return -1;
  at += 3;
  const digits = readDigits();
  if (load<u8>(at) != QUOTE) return -1;
  at++;
  return digits;
}

function readAddress(): bool {
  if (readHex() != ADDRESS_DIGITS) return false;
  written += ADDRESS_SIZE;
  return true;
}

function readData(entry: usize): bool {
  const digits = readHex();
  if (digits < 0 || (digits & 1) != 0) return false;
  const size = <u32>digits >> 1;
  store<u32>(entry, bytesEnd(), DATA);
  store<u32>(entry, size, DATA_SIZE);
  store<u32>(entry, zeros, ZEROS);
  written += size;
  return true;
}

function readBlock(entry: usize): bool {
  if (load<u64>(at) == LATEST_TAG) {
    at += 8;
    return true;
  }
  return readQuantity(entry + BLOCK);
}

/** Parses a quantity that an f64 represents exactly, and stores it in `field`. */
function readQuantity(field: usize): bool {
  const start = at + 3;
  let number: u64 = 0;
  const digits = readHex();
  if (digits < 1 || digits > MAX_QUANTITY_DIGITS || (digits > 1 && load<u8>(start) == DIGIT_0)) return false;
  for (let place = start; place < start + <usize>digits; place++) {
    const c = <u64>(load<u8>(place) | LOWER_CASE);
    number = (number << 4) | (c >= LETTER_A ? c - LETTER_A + 10 : c - DIGIT_0);
  }
  store<f64>(field, <f64>number);
  return true;
}

/**
 * Decodes hex digits, and writes one byte per pair. Sets `zeros` to the number of zero bytes.
 * @returns the number of digits
 */
function readDigits(): i32 {
  const start = at;
  let target = written;
  let others: u32 = 0;
  zeros = 0;
  do {
    const characters = v128.load(at);
    const lower = v128.or(characters, i8x16.splat(LOWER_CASE));
    const decimals = i8x16.lt_u(i8x16.sub(characters, i8x16.splat(DIGIT_0)), i8x16.splat(10));
    const letters = i8x16.lt_u(i8x16.sub(lower, i8x16.splat(LETTER_A)), i8x16.splat(6));
    const digits = v128.bitselect(
      i8x16.sub(characters, i8x16.splat(DIGIT_0)),
      i8x16.sub(lower, i8x16.splat(LETTER_A - 10)),
      decimals,
    );
    // A 16-bit lane contains one pair of digits. The lane is little-endian, so its lower byte is the first digit.
    const pairs = v128.and(v128.or(i16x8.shl(digits, 4), i16x8.shr_u(digits, 8)), i16x8.splat(0xff));
    const bytes = i8x16.narrow_i16x8_u(pairs, pairs);
    store<u64>(target, i64x2.extract_lane(bytes, 0));
    others = ~<u32>i8x16.bitmask(v128.or(decimals, letters)) & 0xffff;
    const count: u32 = others == 0 ? 16 : ctz(others);
    zeros += popcnt(<u32>i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0))) & ((1 << (count >> 1)) - 1));
    at += <usize>count;
    target += 8;
  } while (others == 0);
  return <i32>(at - start);
}
