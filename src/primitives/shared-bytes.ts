/** Bytes that are given out at a time. */
const CHUNK_BYTES = 8 * 1024;
/** What is larger has an array of its own. */
const MAX_PART_BYTES = 1024;

/** A part of an array, which begins with zeros. */
export type BytesPart = { readonly bytes: Uint8Array; readonly start: number };

let chunk = new Uint8Array(CHUNK_BYTES);
let taken = 0;

/**
 * Room for so many bytes, in an array that others have parts of: to make one of more than 64 bytes, which has memory of its own, takes
 * as long as to read a call. No part is given out twice; an array stays as long as one of its parts is used.
 */
export function takeBytes(length: number): BytesPart {
  if (length > MAX_PART_BYTES) return { bytes: new Uint8Array(length), start: 0 };
  if (taken + length > CHUNK_BYTES) {
    chunk = new Uint8Array(CHUNK_BYTES);
    taken = 0;
  }
  const start = taken;
  taken += length;
  return { bytes: chunk, start };
}
