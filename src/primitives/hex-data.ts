import { encodeHex, encodeHexPieces } from './byte-loops.ts';
import { bytesToHex } from './hex.ts';
import type { JsonResult, JsonStream } from './json-result.ts';

/** Bytes as `0x` text, or themselves where they are many: their text is made piece by piece, while it is sent. */
export type HexData = string | Uint8Array;

/** Below this their text is made in a tenth of a millisecond. */
const LARGE_BYTES = 128 * 1024;
const HEAD: Uint8Array = Uint8Array.of(0x22, 0x30, 0x78);
const TAIL: Uint8Array = Uint8Array.of(0x22);

/** @param bytes not changed any more */
export function toHexData(bytes: Uint8Array): HexData {
  return bytes.length < LARGE_BYTES ? bytesToHex(bytes) : bytes;
}

/** The bytes between two places, which may change afterwards. */
export function hexDataOf(bytes: Uint8Array, from: number, length: number): HexData {
  return length < LARGE_BYTES
    ? `0x${encodeHex(bytes, from, from + length)}`
    : bytes.slice(from, from + length);
}

/** As a JSON string. */
export function encodeHexData(data: HexData): JsonResult {
  if (typeof data === 'string') return `"${data}"`;
  const length = HEAD.length + 2 * data.length + TAIL.length;
  return { pieces: encodePieces(data), cancel: () => {}, heldBytes: data.length, length };
}

/** Bytes of a text as a stream that is whole. */
export function streamBytes(bytes: Uint8Array): JsonStream {
  return {
    pieces: cutPieces(bytes),
    cancel: () => {},
    heldBytes: bytes.length,
    length: bytes.length,
  };
}

/** Of a stream's pieces, bytes. */
const PIECE_BYTES: number = 64 * 1024;

async function* cutPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

async function* encodePieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield HEAD;
  yield* encodeHexPieces(bytes);
  yield TAIL;
}
