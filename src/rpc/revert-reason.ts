import { bytesToBigInt } from '../primitives/bytes.ts';
import { hexToBytes } from '../primitives/hex.ts';

const ERROR_SELECTOR = '0x08c379a0';
const PANIC_SELECTOR = '0x4e487b71';
const WORD = 32;

/** Texts as in geth's `accounts/abi`. */
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

/**
 * The reason inside raw revert data (`0x` hex): the string of Error(string), geth's text for Panic(uint256).
 * @returns undefined for custom errors, raw bytes, and payloads that do not decode.
 */
export function decodeRevertReason(data: string): string | undefined {
  const selector = data.slice(0, 10).toLowerCase();
  if (selector !== ERROR_SELECTOR && selector !== PANIC_SELECTOR) return undefined;
  let payload: Uint8Array;
  try {
    payload = hexToBytes(data).subarray(4);
  } catch {
    return undefined;
  }
  if (selector === ERROR_SELECTOR) return decodeString(payload);
  const code = readWord(payload, 0);
  if (code === undefined) return undefined;
  return PANIC_REASONS.get(code) ?? `unknown panic code: 0x${code.toString(16)}`;
}

/** An ABI-encoded `string`; bytes that are no UTF-8 become U+FFFD. */
function decodeString(payload: Uint8Array): string | undefined {
  const offset = readWord(payload, 0);
  if (offset === undefined || offset > BigInt(payload.length)) return undefined;
  const length = readWord(payload, Number(offset));
  const start = Number(offset) + WORD;
  if (length === undefined || length > BigInt(payload.length - start)) return undefined;
  const bytes = payload.subarray(start, start + Number(length));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function readWord(payload: Uint8Array, at: number): bigint | undefined {
  return at + WORD > payload.length ? undefined : bytesToBigInt(payload.subarray(at, at + WORD));
}
