import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { parseQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import { ChainError, UNSUPPORTED } from '../chain/errors.ts';

type Answer = JsonResult | typeof UNSUPPORTED;

/**
 * Parses a quantity from a chain's result.
 * @throws ChainError `failed` with `message` if the result is not a quantity
 */
export function readQuantity(answer: Answer, message: string, bits = 256): bigint {
  return readText(answer, message, (text) => parseQuantity(text, bits));
}

/** Parses bytes from a chain's result. @throws ChainError `failed` with `message` if the result is not hex data */
export function readData(answer: Answer, message: string): Uint8Array {
  return readText(answer, message, hexToBytes);
}

/**
 * Parses a result as JSON; undefined if the chain does not have the method, or the result is `null`.
 * @param method name of the method, for the error text
 * @throws ChainError `failed` if the result is a stream
 */
export function parseAnswer(answer: Answer, method: string): unknown {
  if (answer === UNSUPPORTED) return undefined;
  if (typeof answer !== 'string') {
    answer.cancel();
    throw new ChainError('failed', `the answer to ${method} is too long`);
  }
  return (JSON.parse(answer) as unknown) ?? undefined;
}

export type AnswerMembers = Readonly<Record<string, unknown>>;

/** Returns the named member if that member is an object; otherwise an empty object. */
export function readMembers(object: AnswerMembers, name: string): AnswerMembers {
  const member = object[name];
  return typeof member === 'object' && member !== null ? (member as AnswerMembers) : {};
}

const INTEGER = /^(0|[1-9][0-9]*)$/;
const HEX = /^0x[0-9a-fA-F]+$/;

/**
 * Parses a number as nodes encode it in non-standard members: a JSON number, or hex with or without leading zeros. For any other value, returns
 * undefined.
 */
export function readCount(value: unknown): bigint | undefined {
  if (typeof value === 'number') return INTEGER.test(String(value)) ? BigInt(value) : undefined;
  return typeof value === 'string' && HEX.test(value) ? BigInt(value) : undefined;
}

function readText<T>(answer: Answer, message: string, parse: (text: string) => T): T {
  try {
    const value = parseAnswer(answer, '');
    if (typeof value === 'string') return parse(value);
  } catch {
    // The result is too long, is not JSON or is not hex; callers do not distinguish between these failures.
  }
  throw new ChainError('failed', message);
}
