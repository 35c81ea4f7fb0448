import { countOf } from '../../../util/count-of.ts';
import type { FieldRow } from './describe-value.ts';

/** Decoded revert reason of a contract, with the arguments of an error whose interface is known. */
export type Revert = { readonly kind: string; readonly text: string; readonly rows?: readonly FieldRow[] };

const ERROR_SELECTOR = '0x08c379a0';
const PANIC_SELECTOR = '0x4e487b71';
/** Hex digits of one ABI word. */
const WORD = 64;

const PANICS: ReadonlyMap<number, string> = new Map([
  [0x00, 'generic panic'],
  [0x01, 'an assertion failed'],
  [0x11, 'arithmetic underflow or overflow'],
  [0x12, 'division or modulo by zero'],
  [0x21, 'a value outside of its enum'],
  [0x22, 'a malformed byte array in storage'],
  [0x31, 'pop of an empty array'],
  [0x32, 'index out of bounds'],
  [0x41, 'too much memory'],
  [0x51, 'call of an uninitialised function'],
]);

/** Decodes revert data (`0x` hex). */
export function decodeRevert(data: string): Revert {
  const payload = data.slice(10);
  switch (data.slice(0, 10).toLowerCase()) {
    case '0x':
      return { kind: 'no data', text: 'The contract returned no reason.' };
    case ERROR_SELECTOR: {
      const text = decodeString(payload);
      return text === undefined ? describeUnknown(data) : { kind: 'Error(string)', text };
    }
    case PANIC_SELECTOR: {
      if (payload.length !== WORD) return describeUnknown(data);
      const code = BigInt(`0x${payload}`);
      const text = PANICS.get(Number(code)) ?? 'an unknown code';
      return { kind: 'Panic(uint256)', text: `${text} (0x${code.toString(16).padStart(2, '0')})` };
    }
    default:
      return describeUnknown(data);
  }
}

function describeUnknown(data: string): Revert {
  const bytes = Math.max(0, data.length - 2) / 2;
  if (bytes < 4) return { kind: 'raw data', text: data };
  return {
    kind: 'custom error',
    text: `selector ${data.slice(0, 10)}, ${countOf(bytes - 4, 'byte')} of arguments`,
  };
}

/** Decodes an ABI-encoded string (hex digits); undefined for other data. */
export function decodeString(payload: string): string | undefined {
  const offset = readNumber(payload, 0);
  if (offset === undefined) return undefined;
  const length = readNumber(payload, offset * 2);
  if (length === undefined) return undefined;
  const start = offset * 2 + WORD;
  const digits = payload.slice(start, start + length * 2);
  if (digits.length < length * 2) return undefined;
  const bytes = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return new TextDecoder().decode(bytes);
}

function readNumber(payload: string, at: number): number | undefined {
  const word = payload.slice(at, at + WORD);
  if (!/^[0-9a-f]{64}$/i.test(word)) return undefined;
  const value = BigInt(`0x${word}`);
  return value > BigInt(payload.length) ? undefined : Number(value);
}
