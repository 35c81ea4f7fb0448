/** Hex text and bytes: `0x` prefixed, lower case on output, two digits a byte. */

const HEX_PAIRS: readonly string[] = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));
/** Bytes up to which joining pairs is faster: the text is a rope then, and somebody has to flatten it. */
const NATIVE_THRESHOLD = 12;

/** Any byte array as `0x` + two lower-case digits a byte; the empty array is `0x`. */
export function bytesToHex(bytes: Uint8Array): string {
  let hex = '0x';
  if (bytes.length <= NATIVE_THRESHOLD || nativeToHex === undefined) {
    for (let i = 0; i < bytes.length; i++) hex += HEX_PAIRS[bytes[i] as number];
    return hex;
  }
  return hex + nativeToHex(bytes);
}

/**
 * Parses `0x` + an even number of hex digits.
 * @throws RangeError naming what is wrong; the texts are geth's (`hexutil`).
 */
export function hexToBytes(hex: string): Uint8Array {
  if (!hex.startsWith('0x') && !hex.startsWith('0X')) throw new RangeError('hex string without 0x prefix');
  if (hex.length % 2 !== 0) throw new RangeError('hex string of odd length');
  const bytes = new Uint8Array(hex.length / 2 - 1);
  for (let i = 0; i < bytes.length; i++) {
    const high = digitValue(hex.charCodeAt(2 * i + 2));
    const low = digitValue(hex.charCodeAt(2 * i + 3));
    if (high < 0 || low < 0) throw new RangeError('invalid hex string');
    bytes[i] = (high << 4) | low;
  }
  return bytes;
}

function digitValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 97 && code <= 102) return code - 87;
  if (code >= 65 && code <= 70) return code - 55;
  return -1;
}

/** The host's own converter where there is one (Node's Buffer): 10 x faster on a 20 kB log. */
type BufferLike = { from(b: ArrayBufferLike, o: number, l: number): { toString(encoding: 'hex'): string } };
const hostBuffer = (globalThis as { Buffer?: BufferLike }).Buffer;
const nativeToHex =
  hostBuffer === undefined
    ? undefined
    : (bytes: Uint8Array): string =>
        hostBuffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
