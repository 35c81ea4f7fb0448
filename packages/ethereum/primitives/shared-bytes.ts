/** Size of a shared array in bytes. */
const CHUNK_BYTES = 8 * 1024;
/** Maximum size of a part of a shared array, bytes. A larger part gets an array of its own. */
const MAX_PART_BYTES = 1024;

/** Zeroed part of `bytes`; the part begins at `start`. */
export type BytesPart = { readonly bytes: Uint8Array; readonly start: number };

let chunk = new Uint8Array(CHUNK_BYTES);
let taken = 0;

/**
 * Allocates zeroed bytes from an array that other parts share. A separate array of more than 64 bytes has its own off-heap memory. Creating such an
 * array takes as long as parsing a JSON-RPC call. Parts never overlap. A shared array stays in memory while one of its parts is used.
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
