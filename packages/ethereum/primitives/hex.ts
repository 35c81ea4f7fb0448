/** Conversion between hex text and bytes: `0x` prefix, lower-case output, two digits per byte. */
import { decodeHex, encodeHex } from './byte-loops.ts';

/** Returns `0x` and two lower-case digits per byte; the empty array is `0x`. */
export function bytesToHex(bytes: Uint8Array): string {
  return `0x${encodeHex(bytes)}`;
}

/**
 * Parses `0x` and an even number of hex digits.
 * @throws RangeError with geth's text for the fault (`hexutil`)
 */
export function hexToBytes(hex: string): Uint8Array {
  if (!hex.startsWith('0x') && !hex.startsWith('0X')) throw new RangeError('hex string without 0x prefix');
  if (hex.length % 2 !== 0) throw new RangeError('hex string of odd length');
  const bytes = decodeHex(hex, 2);
  if (bytes === undefined) throw new RangeError('invalid hex string');
  return bytes;
}
