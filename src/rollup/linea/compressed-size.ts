/** Header bytes of data that the compressor stores uncompressed. */
const STORED_HEADER = 3;
/** Payload bits per 32-byte field element of the data posted to layer 1. */
const BITS_PER_ELEMENT = 254;
const ELEMENT_LENGTH = 32;

/**
 * Upper bound on the bytes of a transaction in a Linea blob: stored uncompressed, packed into field elements. The compressor falls back to storing,
 * so its real result is never larger.
 * @param inputLength total length of sender and unsigned payload, bytes
 */
export function boundCompressedSize(inputLength: number): number {
  return Math.ceil((8 * (inputLength + STORED_HEADER)) / BITS_PER_ELEMENT) * ELEMENT_LENGTH;
}
