/** Length of the header before data that the compressor stores uncompressed, bytes. */
const STORED_HEADER = 3;
/** Payload bits per 32-byte field element in the data that is posted to layer 1. */
const BITS_PER_ELEMENT = 254;
const ELEMENT_LENGTH = 32;

/**
 * Returns an upper bound on the bytes of a transaction in a Linea blob: its size when stored uncompressed and packed into field elements. Data that
 * does not compress is stored uncompressed, so a compressed transaction is never larger than this bound.
 * @param inputLength total length of sender and unsigned payload, bytes
 */
export function boundCompressedSize(inputLength: number): number {
  return Math.ceil((8 * (inputLength + STORED_HEADER)) / BITS_PER_ELEMENT) * ELEMENT_LENGTH;
}
