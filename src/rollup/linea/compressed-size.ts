/** Bytes of the header that the compressor puts before data stored uncompressed. */
const STORED_HEADER = 3;
/** Payload bits per 32-byte field element in the data that is posted to layer 1. */
const BITS_PER_ELEMENT = 254;
const ELEMENT_LENGTH = 32;

/**
 * Returns an upper bound on the bytes of a transaction in a Linea blob: the size if the transaction is stored uncompressed and packed into field
 * elements. The compressor stores data that it cannot compress, so its result is never larger.
 * @param inputLength total length of sender and unsigned payload, bytes
 */
export function boundCompressedSize(inputLength: number): number {
  return Math.ceil((8 * (inputLength + STORED_HEADER)) / BITS_PER_ELEMENT) * ELEMENT_LENGTH;
}
