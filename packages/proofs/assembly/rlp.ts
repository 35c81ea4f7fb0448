/** Encodes RLP from hex text. */
import { decode, digitAt } from './hex';
import { at, enterList, HAS_ITEM, HEX_START, NO_ITEM, nextItem, QUOTE, skipString } from './text';

const STRING_BASE: u32 = 0x80;
const LIST_BASE: u32 = 0xc0;
/** Bytes reserved for the header of a list. When the payload's length is known, the payload moves down to the header's actual end. */
const MAX_HEADER: usize = 4;

/** Write position. */
export let out: usize = 0;

@inline
export function writeAt(place: usize): void {
  out = place;
}

@inline
export function writeByte(byte: u8): void {
  store<u8>(out++, byte);
}

/** Writes an empty byte string. */
@inline
export function writeNothing(): void {
  writeByte(<u8>STRING_BASE);
}

function writeHeader(base: u32, length: usize): void {
  if (length < 56) {
    store<u8>(out++, <u8>(base + <u32>length));
    return;
  }
  const bytes: u32 = length < 0x100 ? 1 : length < 0x10000 ? 2 : 3;
  store<u8>(out++, <u8>(base + 55 + bytes));
  for (let i = bytes; i > 0; i--) store<u8>(out++, <u8>(length >> (8 * (i - 1))));
}

/** Reserves the header of a list. @returns start of the reserved header */
@inline
export function openList(): usize {
  out += MAX_HEADER;
  return out - MAX_HEADER;
}

export function closeList(start: usize): void {
  const payload = start + MAX_HEADER;
  const length = out - payload;
  out = start;
  writeHeader(LIST_BASE, length);
  memory.copy(out, payload, length);
  out += length;
}

/** Writes a byte string from its hex text. */
export function writeBytes(text: usize, length: usize): bool {
  if (length < 2 || (length & 1) != 0 || load<u16>(text) != HEX_START) return false;
  const size = (length - 2) >> 1;
  if (size == 1) {
    if (!decode(text + 2, 1, out)) return false;
    return closeByte();
  }
  writeHeader(STRING_BASE, size);
  if (!decode(text + 2, size, out)) return false;
  out += size;
  return true;
}

/** Completes the encoding of the byte at `out`. A byte below 0x80 is its own encoding. */
@inline
function closeByte(): bool {
  const byte = load<u8>(out);
  if (byte >= 0x80) {
    store<u8>(out++, 0x81);
    store<u8>(out, byte);
  }
  out++;
  return true;
}

/** Writes an integer in its shortest form. */
export function writeInteger(text: usize, length: usize): bool {
  if (length < 3 || load<u16>(text) != HEX_START) return false;
  const end = text + length;
  let from = text + 2;
  while (from < end && load<u8>(from) == 0x30) from++;
  const digits = end - from;
  const size = (digits + 1) >> 1;
  if (size != 1) writeHeader(STRING_BASE, size);
  const start = out;
  if ((digits & 1) != 0) {
    const digit = digitAt(from++);
    if (digit > 15) return false;
    store<u8>(out++, <u8>digit);
  }
  if (!decode(from, digits >> 1, out)) return false;
  out = start + size;
  if (size != 1) return true;
  out = start;
  return closeByte();
}

/** Writes a list of hex strings as a list of byte strings. @returns number of strings; -1 if there is no list of hex strings */
export function writeStrings(list: usize): i32 {
  if (!enterList(list)) return -1;
  const start = openList();
  let strings: i32 = 0;
  let found = nextItem(true);
  for (; found == HAS_ITEM; found = nextItem(false)) {
    const text = at + 1;
    if (load<u8>(at) != QUOTE || !skipString() || !writeBytes(text, at - 1 - text)) return -1;
    strings++;
  }
  closeList(start);
  return found == NO_ITEM ? strings : -1;
}
