/** Loops over every byte of texts and byte strings, in WebAssembly: 16 at a time, and no call of it takes 0.1 us. */
import { decodeBase64 } from './base64.ts';
import { BYTE_LOOPS_MODULE } from './byte-loops-module.ts';
import { WEB_ASSEMBLY, type WebAssemblyMemory } from './webassembly.ts';

type ByteLoops = {
  readonly memory: WebAssemblyMemory;
  isLowerHex(text: number, length: number): number;
  decodeHex(text: number, length: number, bytes: number): number;
  encodeHex(bytes: number, length: number, text: number): void;
  countZeros(bytes: number, length: number): number;
};

/** Functions of every host, browsers and Node. */
type TextHost = {
  readonly TextEncoder: new () => {
    encodeInto(text: string, target: Uint8Array): { readonly read: number; readonly written: number };
  };
  readonly TextDecoder: new () => { decode(bytes: Uint8Array): string };
};
const { TextEncoder, TextDecoder } = globalThis as unknown as TextHost;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

const { memory, ...loops } = new WEB_ASSEMBLY.Instance(
  new WEB_ASSEMBLY.Module(decodeBase64(BYTE_LOOPS_MODULE)),
).exports as ByteLoops;
const space = new Uint8Array(memory.buffer);

/** Bytes that are taken in at a time; their text is twice as long. The loops need some room behind either. */
const PIECE = 48 << 10;
const BYTES = 4_096;
const TEXT: number = BYTES + PIECE + 64;
const textSpace = space.subarray(TEXT, TEXT + 2 * PIECE);

/** Takes in a piece of a text. False: some of it is not ASCII. */
function takeText(text: string, from: number, to: number): boolean {
  const { read, written } = encoder.encodeInto(
    from === 0 && to === text.length ? text : text.slice(from, to),
    textSpace,
  );
  return read === written && read === to - from;
}

/** Whether what follows `from` are hex digits in lower case, or nothing. */
export function isLowerHex(text: string, from: number): boolean {
  for (let at = from; at < text.length; at += 2 * PIECE) {
    const to = Math.min(at + 2 * PIECE, text.length);
    if (!takeText(text, at, to) || loops.isLowerHex(TEXT, to - at) === 0) return false;
  }
  return true;
}

/** The bytes that an even number of hex digits means, from `from` on; undefined when there is anything else. */
export function decodeHex(text: string, from: number): Uint8Array | undefined {
  const length = (text.length - from) >> 1;
  if (length <= PIECE) {
    if (!takeText(text, from, text.length) || loops.decodeHex(TEXT, 2 * length, BYTES) === 0)
      return undefined;
    return space.slice(BYTES, BYTES + length);
  }
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += PIECE) {
    const count = Math.min(PIECE, length - at);
    const isText = takeText(text, from + 2 * at, from + 2 * (at + count));
    if (!isText || loops.decodeHex(TEXT, 2 * count, BYTES) === 0) return undefined;
    bytes.set(space.subarray(BYTES, BYTES + count), at);
  }
  return bytes;
}

/** Two digits in lower case for each byte. */
export function encodeHex(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) {
    const count = takeBytes(bytes, at);
    loops.encodeHex(BYTES, count, TEXT);
    text += decoder.decode(space.subarray(TEXT, TEXT + 2 * count));
  }
  return text;
}

/** The same as ASCII, in pieces. */
export function* encodeHexPieces(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += PIECE) {
    const count = takeBytes(bytes, at);
    loops.encodeHex(BYTES, count, TEXT);
    yield space.slice(TEXT, TEXT + 2 * count);
  }
}

/** How many of the bytes are zero. */
export function countZeros(bytes: Uint8Array): number {
  let zeros = 0;
  for (let at = 0; at < bytes.length; at += PIECE) zeros += loops.countZeros(BYTES, takeBytes(bytes, at));
  return zeros;
}

/** Takes in a piece. @returns its length */
function takeBytes(bytes: Uint8Array, from: number): number {
  const count = Math.min(PIECE, bytes.length - from);
  space.set(count === bytes.length ? bytes : bytes.subarray(from, from + count), BYTES);
  return count;
}
