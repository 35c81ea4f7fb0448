/** Bytes that precede data which the compressor stores as it is. */
const STORED_HEADER = 3;
/** Payload bits in a 32-byte field element of the data that goes to layer 1. */
const BITS_PER_ELEMENT = 254;
const ELEMENT_LENGTH = 32;

/**
 * Upper bound on what a transaction takes in a Linea blob: stored uncompressed, packed into field elements.
 * The compressor falls back to storing, so its real result is never larger.
 * @param inputLength length of sender and unsigned payload together, bytes
 */
export function boundCompressedSize(inputLength: number): number {
  return Math.ceil((8 * (inputLength + STORED_HEADER)) / BITS_PER_ELEMENT) * ELEMENT_LENGTH;
}
