import { encodeHex, encodeHexPieces } from './byte-loops.ts';
import { bytesToHex } from './hex.ts';
import type { JsonResult, JsonStream } from './json-result.ts';

/** Data as `0x` text, or as raw bytes from `LARGE_BYTES` on. Raw bytes are hex-encoded piece by piece while they are sent. */
export type HexData = string | Uint8Array;

/** Minimum length in bytes of data that stays raw. Data below this length is hex-encoded within 0.1 ms. */
const LARGE_BYTES = 128 * 1024;
const HEAD: Uint8Array = Uint8Array.of(0x22, 0x30, 0x78);
const TAIL: Uint8Array = Uint8Array.of(0x22);

/** @param bytes must not change after the call, because the result may be a view of these bytes */
export function toHexData(bytes: Uint8Array): HexData {
  return bytes.length < LARGE_BYTES ? bytesToHex(bytes) : bytes;
}

/** Copies `length` bytes from offset `from`, so that `bytes` may change afterwards. */
export function hexDataOf(bytes: Uint8Array, from: number, length: number): HexData {
  return length < LARGE_BYTES
    ? `0x${encodeHex(bytes, from, from + length)}`
    : bytes.slice(from, from + length);
}

/** Encodes the data as a JSON string. */
export function encodeHexData(data: HexData): JsonResult {
  if (typeof data === 'string') return `"${data}"`;
  const length = HEAD.length + 2 * data.length + TAIL.length;
  return { pieces: encodePieces(data), cancel: () => {}, reservedBytes: data.length, length };
}

/** Returns a stream over bytes that are already in memory. */
export function streamBytes(bytes: Uint8Array): JsonStream {
  return {
    pieces: cutPieces(bytes),
    cancel: () => {},
    reservedBytes: bytes.length,
    length: bytes.length,
  };
}

/** Piece size of a stream in bytes. */
const PIECE_BYTES: number = 64 * 1024;

async function* cutPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

async function* encodePieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield HEAD;
  yield* encodeHexPieces(bytes);
  yield TAIL;
}
