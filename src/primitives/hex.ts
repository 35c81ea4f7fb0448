/** Hex text and bytes: `0x` prefixed, lower case on output, two digits a byte. */
import { decodeHex, encodeHex } from './byte-loops.ts';

/** Any byte array as `0x` + two lower-case digits a byte; the empty array is `0x`. */
export function bytesToHex(bytes: Uint8Array): string {
  return `0x${encodeHex(bytes)}`;
}

/**
 * Parses `0x` + an even number of hex digits.
 * @throws RangeError naming what is wrong; the texts are geth's (`hexutil`).
 */
export function hexToBytes(hex: string): Uint8Array {
  if (!hex.startsWith('0x') && !hex.startsWith('0X')) throw new RangeError('hex string without 0x prefix');
  if (hex.length % 2 !== 0) throw new RangeError('hex string of odd length');
  const bytes = decodeHex(hex, 2);
  if (bytes === undefined) throw new RangeError('invalid hex string');
  return bytes;
}
