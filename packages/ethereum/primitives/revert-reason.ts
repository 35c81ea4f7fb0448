import { bytesToBigInt } from './bytes.ts';
import { bytesToHex, hexToBytes } from './hex.ts';
import type { HexData } from './hex-data.ts';

/** Type of the global TextDecoder, which this folder's type libraries do not declare. */
type DecoderHost = {
  readonly TextDecoder: new (
    label: string,
    options: { readonly ignoreBOM: boolean },
  ) => { decode(bytes: Uint8Array, options?: { readonly stream: boolean }): string };
};
const { TextDecoder } = globalThis as unknown as DecoderHost;

const ERROR_SELECTOR = '0x08c379a0';
const PANIC_SELECTOR = '0x4e487b71';
const SELECTOR_BYTES = 4;
const WORD = 32;
const HEX_PREFIX = '0x';

/** Texts by panic code, from geth's `accounts/abi`. */
const PANIC_REASONS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
]);

/** Maximum length of a decoded reason, bytes. The response still contains the complete reason in its revert data. */
export const MAX_REASON_BYTES: number = 4 * 1024;
const ELLIPSIS = '…';

/**
 * Decodes the reason in raw revert data (`0x` hex, or bytes). The reason is the string of Error(string), cut at `MAX_REASON_BYTES` with an ellipsis,
 * or geth's text for Panic(uint256). Only the needed bytes are read.
 * @returns undefined for custom errors and for data that does not decode
 */
export function decodeRevertReason(data: HexData): string | undefined {
  const selector = readBytes(data, 0, SELECTOR_BYTES);
  if (selector === undefined) return undefined;
  switch (bytesToHex(selector)) {
    case ERROR_SELECTOR:
      return decodeString(data);
    case PANIC_SELECTOR: {
      const code = readWord(data, SELECTOR_BYTES);
      if (code === undefined) return undefined;
      return PANIC_REASONS.get(code) ?? `unknown panic code: 0x${code.toString(16)}`;
    }
    default:
      return undefined;
  }
}

/** Decodes an ABI-encoded `string`; invalid UTF-8 becomes U+FFFD. */
function decodeString(data: HexData): string | undefined {
  const size = measureBytes(data);
  const offset = readWord(data, SELECTOR_BYTES);
  if (offset === undefined || offset > BigInt(size)) return undefined;
  const at = SELECTOR_BYTES + Number(offset);
  const length = readWord(data, at);
  const start = at + WORD;
  if (length === undefined || length > BigInt(size - start)) return undefined;
  const isCut = length > BigInt(MAX_REASON_BYTES);
  const bytes = readBytes(data, start, isCut ? MAX_REASON_BYTES : Number(length));
  if (bytes === undefined) return undefined;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // In stream mode, the decoder omits a last character that the cut splits.
  return isCut ? decoder.decode(bytes, { stream: true }) + ELLIPSIS : decoder.decode(bytes);
}

function readWord(data: HexData, at: number): bigint | undefined {
  const bytes = readBytes(data, at, WORD);
  return bytes === undefined ? undefined : bytesToBigInt(bytes);
}

function measureBytes(data: HexData): number {
  return typeof data === 'string' ? (data.length >> 1) - 1 : data.length;
}

/** @returns undefined if the bytes extend past the end of `data`, or if `data` is not hex */
function readBytes(data: HexData, at: number, count: number): Uint8Array | undefined {
  if (at + count > measureBytes(data)) return undefined;
  if (typeof data !== 'string') return data.subarray(at, at + count);
  const start = HEX_PREFIX.length + 2 * at;
  try {
    return hexToBytes(HEX_PREFIX + data.slice(start, start + 2 * count));
  } catch {
    return undefined;
  }
}
