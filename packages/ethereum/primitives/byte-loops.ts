/** WebAssembly loops over texts and byte strings, 16 bytes per step; the overhead of a call is below 0.1 us. */

import { decodeBase64 } from './base64.ts';
import { BYTE_LOOPS_MODULE } from './byte-loops-module.ts';
import { utf8Decoder, utf8Encoder } from './utf8.ts';
import { WEB_ASSEMBLY, type WebAssemblyMemory } from './webassembly.ts';

type ByteLoops = {
  readonly memory: WebAssemblyMemory;
  isLowerHex(text: number, length: number): number;
  decodeHex(text: number, length: number, bytes: number): number;
  encodeHex(bytes: number, length: number, text: number): void;
  countZeros(bytes: number, length: number): number;
};

const { memory, ...loops } = new WEB_ASSEMBLY.Instance(
  new WEB_ASSEMBLY.Module(decodeBase64(BYTE_LOOPS_MODULE)),
).exports as ByteLoops;
const space = new Uint8Array(memory.buffer);

/** Maximum bytes per call into the module; their hex text is twice as long. The loops access up to 31 bytes past the end of bytes and text. */
const PIECE = 48 << 10;
const BYTES = 4_096;
const TEXT: number = BYTES + PIECE + 64;
/** Maximum length in bytes of inputs that are copied byte by byte. */
const FEW_BYTES = 64;
/** Maximum length in characters of a text for which a view of the module's memory is cached. */
const MAX_CACHED_VIEW = 512;
const textSpace = space.subarray(TEXT, TEXT + 2 * PIECE);

/** Copies a part of a text into WebAssembly memory. @returns false if the part is not ASCII */
function takeText(text: string, from: number, to: number): boolean {
  const { read, written } = utf8Encoder.encodeInto(
    from === 0 && to === text.length ? text : text.slice(from, to),
    textSpace,
  );
  return read === written && read === to - from;
}

/** Whether all characters from `from` on are lower-case hex digits; true if there are no characters. */
export function isLowerHex(text: string, from: number): boolean {
  for (let at = from; at < text.length; at += 2 * PIECE) {
    const to = Math.min(at + 2 * PIECE, text.length);
    if (!takeText(text, at, to) || loops.isLowerHex(TEXT, to - at) === 0) return false;
  }
  return true;
}

/** Decodes an even number of hex digits from `from` on; undefined if there is any other character. */
export function decodeHex(text: string, from: number): Uint8Array | undefined {
  const length = (text.length - from) >> 1;
  if (length <= PIECE) return takeHex(text, from, length) ? space.slice(BYTES, BYTES + length) : undefined;
  const bytes = new Uint8Array(length);
  return decodeHexInto(bytes, 0, text, from) ? bytes : undefined;
}

/**
 * Decodes an even number of hex digits from `from` on into `target`.
 * @returns false if there is any other character; `target` is then partly overwritten
 */
export function decodeHexInto(target: Uint8Array, start: number, text: string, from: number): boolean {
  const length = (text.length - from) >> 1;
  for (let at = 0; at < length; at += PIECE) {
    const count = Math.min(PIECE, length - at);
    if (!takeHex(text, from + 2 * at, count)) return false;
    target.set(space.subarray(BYTES, BYTES + count), start + at);
  }
  return true;
}

/** Decodes `2 * count` hex digits to the address `BYTES` in WebAssembly memory. @returns false if the text is not hex */
function takeHex(text: string, from: number, count: number): boolean {
  return takeText(text, from, from + 2 * count) && loops.decodeHex(TEXT, 2 * count, BYTES) !== 0;
}

/** Encodes the bytes [from, to) as two lower-case hex digits each. */
export function encodeHex(bytes: Uint8Array, from = 0, to: number = bytes.length): string {
  let text = '';
  for (let at = from; at < to; at += PIECE) {
    const count = takeBytes(bytes, at, to);
    loops.encodeHex(BYTES, count, TEXT);
    text += utf8Decoder.decode(viewText(2 * count));
  }
  return text;
}

/** Views by text length, cached because creating a view takes as long as encoding a 32-byte word. */
const textViews: (Uint8Array | undefined)[] = new Array(MAX_CACHED_VIEW + 1).fill(undefined);

function viewText(length: number): Uint8Array {
  if (length > MAX_CACHED_VIEW) return space.subarray(TEXT, TEXT + length);
  textViews[length] ??= space.subarray(TEXT, TEXT + length);
  return textViews[length];
}

/** Encodes bytes as lower-case hex digits in ASCII, in pieces. */
export function* encodeHexPieces(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += PIECE) {
    const count = takeBytes(bytes, at, bytes.length);
    loops.encodeHex(BYTES, count, TEXT);
    yield space.slice(TEXT, TEXT + 2 * count);
  }
}

/** Counts the zero bytes in [from, to). */
export function countZeros(bytes: Uint8Array, from = 0, to: number = bytes.length): number {
  let zeros = 0;
  for (let at = from; at < to; at += PIECE) zeros += loops.countZeros(BYTES, takeBytes(bytes, at, to));
  return zeros;
}

/** Copies the next piece of [from, to) into WebAssembly memory. @returns the length of the piece */
function takeBytes(bytes: Uint8Array, from: number, to: number): number {
  const count = Math.min(PIECE, to - from);
  // Creating a view costs more than copying a few bytes.
  if (count <= FEW_BYTES) for (let i = 0; i < count; i++) space[BYTES + i] = bytes[from + i] as number;
  else space.set(count === bytes.length ? bytes : bytes.subarray(from, from + count), BYTES);
  return count;
}
