import { isDecodable, MAX_DATA_BYTES } from './decoded-size.ts';
import type { AbiEntry } from './signatures.ts';
import { decodeNamed } from './values.ts';
import { listKnownErrors } from './well-known.ts';

/** Selectors of `Error(string)` and `Panic(uint256)`, and Solidity's meanings of panic codes (docs.soliditylang.org, "Panic via assert"). */
const ERROR = '0x08c379a0';
const PANIC = '0x4e487b71';
const PANICS: ReadonlyMap<string, string> = new Map([
  ['0x00', 'generic panic of the compiler'],
  ['0x01', 'assert failed'],
  ['0x11', 'arithmetic overflow or underflow'],
  ['0x12', 'division or modulo by zero'],
  ['0x21', 'conversion to an enum that has no such value'],
  ['0x22', 'incorrectly encoded storage byte array'],
  ['0x31', 'pop of an empty array'],
  ['0x32', 'array index out of bounds'],
  ['0x41', 'too much memory allocated'],
  ['0x51', 'call of an uninitialised internal function'],
]);

/** Reason of a failed call, from the return data of the contract. */
export type RevertReason =
  | { readonly kind: 'error'; readonly reason: string }
  | { readonly kind: 'panic'; readonly code: string; readonly reason: string }
  | { readonly kind: 'custom'; readonly error: string; readonly args: unknown }
  | { readonly kind: 'unknown'; readonly selector: string; readonly data: string; readonly reason: string }
  | { readonly kind: 'empty'; readonly reason: string };

/**
 * Decodes the return data of a call that reverted.
 * @param errors custom errors that are tried before those of standards
 */
export function decodeRevertData(data: string, errors: readonly AbiEntry[] = []): RevertReason {
  const [selector, rest] = [data.slice(0, 10).toLowerCase(), `0x${data.slice(10)}`];
  if (data === '0x') return { kind: 'empty', reason: 'the contract reverted without a reason' };
  const text = selector === ERROR ? readFirst('string', rest) : undefined;
  if (text !== undefined) return { kind: 'error', reason: text };
  const number = selector === PANIC ? readFirst('uint256', rest) : undefined;
  if (number !== undefined) {
    const code = `0x${BigInt(number).toString(16).padStart(2, '0')}`;
    return { kind: 'panic', code, reason: PANICS.get(code) ?? 'a code that Solidity does not define' };
  }
  for (const entry of [...errors, ...listKnownErrors()]) {
    const args = entry.selector === selector ? decodeNamed(entry.inputs, rest) : undefined;
    if (args !== undefined) return { kind: 'custom', error: entry.signature, args };
  }
  const reason = isDecodable(data)
    ? 'no known error has this selector and form: pass the signatures of the contract as `errors`'
    : `data of more than ${MAX_DATA_BYTES} bytes are not decoded`;
  return { kind: 'unknown', selector, data, reason };
}

function readFirst(type: 'string' | 'uint256', data: string): string | undefined {
  const decoded = decodeNamed([{ type }], data);
  return Array.isArray(decoded) ? String(decoded[0]) : undefined;
}
