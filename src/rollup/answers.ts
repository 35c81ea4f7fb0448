import { ChainError } from '../chain/errors.ts';
import { hexToBytes } from '../primitives/hex.ts';
import type { JsonResult } from '../primitives/json-result.ts';
import { parseQuantity } from '../primitives/quantity.ts';

/**
 * The quantity in a chain's answer.
 * @throws ChainError `failed` with `message` when the answer is anything else.
 */
export function readQuantity(answer: JsonResult, message: string, bits = 256): bigint {
  return readText(answer, message, (text) => parseQuantity(text, bits));
}

/** The bytes in a chain's answer. @throws ChainError as `readQuantity`. */
export function readData(answer: JsonResult, message: string): Uint8Array {
  return readText(answer, message, hexToBytes);
}

function readText<T>(answer: JsonResult, message: string, parse: (text: string) => T): T {
  try {
    if (typeof answer !== 'string') {
      answer.cancel();
      throw new RangeError('too long for a value');
    }
    const value: unknown = JSON.parse(answer);
    if (typeof value === 'string') return parse(value);
  } catch {
    // Falls through: not JSON and not hex are the same failure to the caller.
  }
  throw new ChainError('failed', message);
}
