import { isLowerHex } from '../../../packages/ethereum/primitives/byte-loops.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';

/** Matches hex after at most 64 characters of white space; the limit avoids scanning megabytes of other text. */
const HEX_BEGIN = /^\s{0,64}0x/i;
/** Matches a selector without the hex prefix. */
const BARE_HEX_BEGIN = /^[0-9a-f]{8}/i;
const REVERTED_PREFIX = /^reverted\s{1,64}/i;
const TRANSACTION_HASH = /^0x[0-9a-f]{64}$/i;
/**
 * Members that may contain the revert bytes if `data` is an object: `data` in hardhat, `result` in ganache 7, `return` in ganache 2, and `output`
 * elsewhere.
 */
const DATA_FIELDS = ['data', 'result', 'output', 'return'] as const;
/** Members in which relays nest the error of the node behind them. */
export const NESTED_FIELDS: ReadonlySet<string> = new Set(['originalError', 'error', 'cause']);
/** Maximum number of members that are searched for an object under a transaction hash or for a nested error. */
const MAX_ENTRIES = 8;

const ERROR_SELECTOR = '08c379a0';
const PANIC_SELECTOR = '4e487b71';
const SELECTOR_DIGITS = 8;
const WORD_DIGITS = 64;
const WORD_BYTES = 32;

/** Normalizes hex to lower case; undefined if the text is not hex. */
type ReadHex = (text: string) => string | undefined;

/**
 * Reads the bytes in an error's `data`, as lower-case hex. The bytes may be a hex string, Parity's `Reverted 0x…`, or hex in an object.
 * @returns undefined if `data` contains no hex, `0x` if `data` contains hex of no bytes
 */
export function parseRevertData(data: unknown): string | undefined {
  return typeof data === 'string' ? parseHex(data.replace(REVERTED_PREFIX, '')) : parseHolder(data, parseHex);
}

/** Like `parseRevertData`, but also accepts hex without `0x`; only for errors that are known to be reverts. */
export function parseBareRevertData(data: unknown): string | undefined {
  return (
    parseRevertData(data) ?? (typeof data === 'string' ? parseBareHex(data) : parseHolder(data, parseBareHex))
  );
}

function parseHolder(data: unknown, readHex: ReadHex): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const own = parseFields(data, readHex);
  if (own !== undefined) return own;
  for (const [key, value] of Object.entries(data).slice(0, MAX_ENTRIES)) {
    if (
      !(TRANSACTION_HASH.test(key) || NESTED_FIELDS.has(key)) ||
      typeof value !== 'object' ||
      value === null
    )
      continue;
    const nested = parseFields(value, readHex);
    if (nested !== undefined) return nested;
  }
  return undefined;
}

/** Whether bytes look like ABI-encoded revert data: a selector and whole 32-byte words, or the selector of `Error` or `Panic` at the beginning. */
export function isAbiEncoded(data: string): boolean {
  const digits = data.length - 2;
  if (digits < SELECTOR_DIGITS) return false;
  return (
    (digits - SELECTOR_DIGITS) % WORD_DIGITS === 0 ||
    data.startsWith(ERROR_SELECTOR, 2) ||
    data.startsWith(PANIC_SELECTOR, 2)
  );
}

/** Encodes a reason as revert data of Solidity's `Error(string)`, for nodes that report the reason only as text. */
export function encodeErrorString(reason: string): string {
  const bytes = new TextEncoder().encode(reason);
  const padded = new Uint8Array(Math.ceil(bytes.length / WORD_BYTES) * WORD_BYTES);
  padded.set(bytes);
  return `0x${ERROR_SELECTOR}${encodeWord(WORD_BYTES)}${encodeWord(bytes.length)}${bytesToHex(padded).slice(2)}`;
}

/** Encodes revert data of Solidity's `Panic(uint256)`. @param code hex digits */
export function encodePanic(code: string): string {
  return `0x${PANIC_SELECTOR}${code.padStart(WORD_DIGITS, '0')}`;
}

function encodeWord(value: number): string {
  return value.toString(16).padStart(WORD_DIGITS, '0');
}

function parseFields(holder: object, readHex: ReadHex): string | undefined {
  for (const field of DATA_FIELDS) {
    const value = (holder as Readonly<Record<string, unknown>>)[field];
    const data = typeof value === 'string' ? readHex(value) : undefined;
    if (data !== undefined) return data;
  }
  return undefined;
}

function parseHex(text: string): string | undefined {
  if (!HEX_BEGIN.test(text)) return undefined;
  const trimmed = text.trim();
  if (trimmed.length % 2 !== 0) return undefined;
  // Fast path for lower-case hex with `0x`, which nearly all nodes send: megabytes of hex are not copied.
  if (trimmed.startsWith('0x') && isLowerHex(trimmed, 2)) return trimmed;
  // Lower-casing is safe: only the characters A to F become a to f.
  const lower = trimmed.toLowerCase();
  return isLowerHex(lower, 2) ? lower : undefined;
}

/** Reads hex without `0x`. Hex without `0x` must have at least 8 digits (a selector), because a shorter text may be a word such as `dead`. */
function parseBareHex(text: string): string | undefined {
  return BARE_HEX_BEGIN.test(text) ? parseHex(`0x${text}`) : undefined;
}
