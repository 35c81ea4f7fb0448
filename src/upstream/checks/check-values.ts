import type { JsonResult } from '../../primitives/json-result.ts';
import { UpstreamFault } from '../fault.ts';

const DATA = /^\s*"0x(?:[0-9a-fA-F]{2})*"\s*$/;
const QUANTITY = /^\s*"0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})"\s*$/;

const HEX = /^\s*"0x[0-9a-fA-F]*"\s*$/;

/** The result of a call: hex data. */
export function checkData(result: JsonResult): JsonResult {
  return checkPattern(result, DATA, 'the result of a call is no hex data');
}

/** A word of storage, which some clients cut to what is not zero. */
export function checkHex(result: JsonResult): JsonResult {
  return checkPattern(result, HEX, 'the result is no hex');
}

/** A gas estimate. */
export function checkQuantity(result: JsonResult): JsonResult {
  return checkPattern(result, QUANTITY, 'the result is no quantity');
}

function checkPattern(result: JsonResult, pattern: RegExp, message: string): JsonResult {
  if (typeof result === 'string' && pattern.test(result)) return result;
  throw new UpstreamFault('wrong', message);
}

/** The members of an object in an answer. @throws UpstreamFault when it is none */
export function parseObject(result: JsonResult): Readonly<Record<string, unknown>> {
  const value: unknown = typeof result === 'string' ? JSON.parse(result) : undefined;
  if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  if (typeof result !== 'string') result.cancel();
  throw new UpstreamFault('wrong', 'the result is no object');
}

/** Whether two values are the same hex text; letters may differ in case. */
export function isSameHex(have: unknown, want: string): boolean {
  return typeof have === 'string' && have.toLowerCase() === want;
}
