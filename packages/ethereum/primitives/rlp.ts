/**
 * Recursive Length Prefix (yellow paper, appendix B). The encoder measures the output, allocates it once, and writes it. Decoding is strict: it
 * accepts canonical lengths only. Decoding copies nothing: every byte string is a view into the input.
 */
import { bytesToBigInt, measureBigInt, writeBigInt } from './bytes.ts';

export type RlpItem = Uint8Array | readonly RlpItem[];
export type RlpInput = Uint8Array | bigint | readonly RlpInput[];

const MAX_DEPTH = 32;

/** Encodes a byte string, an unsigned integer (in its shortest form; 0 is empty), or a list of items. */
export function encodeRlp(item: RlpInput): Uint8Array {
  const size = measure(item);
  const out = new Uint8Array(size);
  write(item, out, 0);
  return out;
}

/** Returns the length in bytes of a list's or string's header for a payload of this many bytes. */
export function measureRlpHeader(payload: number): number {
  if (payload < 56) return 1;
  let size = 1;
  for (let n = payload; n > 0; n = Math.floor(n / 256)) size++;
  return size;
}

function measure(item: RlpInput): number {
  if (item instanceof Uint8Array) {
    return item.length === 1 && (item[0] as number) < 0x80 ? 1 : measureRlpHeader(item.length) + item.length;
  }
  if (typeof item === 'bigint') {
    if (item > 0n && item < 0x80n) return 1;
    const size = measureBigInt(item);
    return measureRlpHeader(size) + size;
  }
  const payload = measurePayload(item);
  return measureRlpHeader(payload) + payload;
}

function measurePayload(list: readonly RlpInput[]): number {
  let payload = 0;
  for (const item of list) payload += measure(item);
  return payload;
}

/**
 * Writes the header of a byte string or list.
 * @param base 0x80 for a byte string (which must not be a single byte below 0x80), 0xc0 for a list
 * @returns start of the payload
 */
export function writeRlpHeader(out: Uint8Array, at: number, base: number, payload: number): number {
  if (payload < 56) {
    out[at] = base + payload;
    return at + 1;
  }
  const lengthBytes = measureRlpHeader(payload) - 1;
  out[at] = base + 55 + lengthBytes;
  let rest = payload;
  for (let i = at + lengthBytes; i > at; i--) {
    out[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return at + 1 + lengthBytes;
}

function write(item: RlpInput, out: Uint8Array, at: number): number {
  if (item instanceof Uint8Array) {
    if (item.length === 1 && (item[0] as number) < 0x80) {
      out[at] = item[0] as number;
      return at + 1;
    }
    const start = writeRlpHeader(out, at, 0x80, item.length);
    out.set(item, start);
    return start + item.length;
  }
  if (typeof item === 'bigint') {
    if (item > 0n && item < 0x80n) {
      out[at] = Number(item);
      return at + 1;
    }
    return writeBigInt(item, out, writeRlpHeader(out, at, 0x80, measureBigInt(item)));
  }
  let position = writeRlpHeader(out, at, 0xc0, measurePayload(item));
  for (const child of item) position = write(child, out, position);
  return position;
}

/**
 * Decodes exactly one item that fills the whole input.
 * @throws RangeError for trailing bytes, truncation, a non-canonical length or nesting beyond 32 lists
 */
export function decodeRlp(bytes: Uint8Array): RlpItem {
  const { item, end } = decodeAt(bytes, 0, bytes.length, 0);
  if (end !== bytes.length) throw new RangeError('rlp: trailing bytes');
  return item;
}

/** Header of an item: start and end of its payload, and whether it is a list. */
export type RlpSpan = { readonly isList: boolean; readonly start: number; readonly end: number };

/**
 * Reads the header of an item without reading the payload. If a stream has not arrived completely, the payload may end after `limit`.
 * @returns undefined if the header itself is not complete within `limit`
 * @throws RangeError for a non-canonical length
 */
export function readRlpSpan(bytes: Uint8Array, at: number, limit: number): RlpSpan | undefined {
  if (at >= limit) return undefined;
  const prefix = bytes[at] as number;
  if (prefix < 0x80) return { isList: false, start: at, end: at + 1 };
  const isList = prefix >= 0xc0;
  const short = prefix - (isList ? 0xc0 : 0x80);
  if (short < 56) {
    if (!isList && short === 1 && at + 1 < limit && (bytes[at + 1] as number) < 0x80) {
      throw new RangeError('rlp: single byte below 0x80 with a length prefix');
    }
    return { isList, start: at + 1, end: at + 1 + short };
  }
  const lengthBytes = short - 55;
  if (at + 1 + lengthBytes > limit) return undefined;
  if (bytes[at + 1] === 0) throw new RangeError('rlp: length with leading zero');
  let length = 0;
  for (let i = 0; i < lengthBytes; i++) length = length * 256 + (bytes[at + 1 + i] as number);
  if (length < 56) throw new RangeError('rlp: long form for a short length');
  if (length > Number.MAX_SAFE_INTEGER) throw new RangeError('rlp: length too large');
  const start = at + 1 + lengthBytes;
  return { isList, start, end: start + length };
}

/**
 * Splits an encoded list into its items, headers included. The content of the items is not decoded.
 * @throws RangeError if `encoded` is not exactly one list
 */
export function splitRlpList(encoded: Uint8Array): Uint8Array[] {
  const list = readRlpSpan(encoded, 0, encoded.length);
  if (list === undefined || list.end !== encoded.length || !list.isList) {
    throw new RangeError('rlp: not one list');
  }
  // `subarray` of a Buffer creates another Buffer, which takes several times as long.
  const bytes = new Uint8Array(encoded.buffer, encoded.byteOffset, encoded.length);
  const items: Uint8Array[] = [];
  for (let at = list.start; at < list.end; ) {
    const span = readWholeSpan(bytes, at, list.end);
    items.push(bytes.subarray(at, span.end));
    at = span.end;
  }
  return items;
}

/** Item of an encoded list: `at` is the start of its header. */
export type RlpItemSpan = RlpSpan & { readonly at: number };

/**
 * Returns the items of the encoded list at `at`, without reading their payloads.
 * @throws RangeError if there is no list at `at`, if the list exceeds `limit`, or if an item exceeds the list
 */
export function readListSpans(bytes: Uint8Array, at = 0, limit: number = bytes.length): RlpItemSpan[] {
  const list = readWholeSpan(bytes, at, limit);
  if (!list.isList) throw new RangeError('rlp: not a list');
  const items: RlpItemSpan[] = [];
  for (let next = list.start; next < list.end; ) {
    const span = readWholeSpan(bytes, next, list.end);
    items.push({ ...span, at: next });
    next = span.end;
  }
  return items;
}

/** Reads the header of the item at `at`. @throws RangeError if the item does not end within `limit` */
export function readWholeSpan(bytes: Uint8Array, at: number, limit: number): RlpSpan {
  const span = readRlpSpan(bytes, at, limit);
  if (span === undefined || span.end > limit) throw new RangeError('rlp: input too short');
  return span;
}

function decodeAt(
  bytes: Uint8Array,
  at: number,
  limit: number,
  depth: number,
): { item: RlpItem; end: number } {
  const span = readWholeSpan(bytes, at, limit);
  if (!span.isList) return { item: bytes.subarray(span.start, span.end), end: span.end };
  if (depth >= MAX_DEPTH) throw new RangeError('rlp: nested too deeply');
  const items: RlpItem[] = [];
  let position = span.start;
  while (position < span.end) {
    const child = decodeAt(bytes, position, span.end, depth + 1);
    items.push(child.item);
    position = child.end;
  }
  return { item: items, end: span.end };
}

/** Returns the item as a list. @throws RangeError if the item is a byte string */
export function asList(item: RlpItem | undefined, what: string): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) throw new RangeError(`rlp: ${what} is not a list`);
  return item;
}

/**
 * Returns the item as a byte string.
 * @param what name of the item in the error
 * @param length required length in bytes; any if absent
 * @throws RangeError if the item is a list or has another length
 */
export function asBytes(item: RlpItem | undefined, what: string, length?: number): Uint8Array {
  if (!(item instanceof Uint8Array)) throw new RangeError(`rlp: ${what} is not a byte string`);
  if (length !== undefined && item.length !== length) {
    throw new RangeError(`rlp: ${what} has ${item.length} bytes, want ${length}`);
  }
  return item;
}

/**
 * Returns the item as an unsigned integer.
 * @param what name of the item in the error
 * @throws RangeError if the item is a list, is longer than `maxBytes` bytes, or has a leading zero
 */
export function asInteger(item: RlpItem | undefined, what: string, maxBytes = 32): bigint {
  const bytes = asBytes(item, what);
  if (bytes.length > maxBytes) throw new RangeError(`rlp: ${what} is longer than ${maxBytes} bytes`);
  if (bytes.length > 0 && bytes[0] === 0) throw new RangeError(`rlp: ${what} has a leading zero`);
  return bytesToBigInt(bytes);
}
