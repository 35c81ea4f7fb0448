import {
  isComplete,
  type JsonBytes,
  type JsonResult,
  type JsonText,
} from '../../../../packages/ethereum/primitives/json-result.ts';
import { parseJsonText } from '../../../../packages/ethereum/primitives/parse-json.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import { type ParseWork, parseText } from '../../../pool/parse-text.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * Parses an answer that must be an object. Called only in checks: if the answer is long, it is parsed with pauses, and then the check runs again
 * (`checkParsed`).
 * @throws UpstreamFault if the answer is not an object
 */
export function parseObject(result: JsonResult): Members {
  return requireObject(parseJsonText(requireWhole(result)));
}

/**
 * Parses an answer that must be an object, with pauses if it is long.
 * @throws UpstreamFault if the answer is not an object
 */
export async function parseObjectInSlots(result: JsonResult, work: ParseWork): Promise<Members> {
  return requireObject(await parseText(requireWhole(result), work));
}

function requireWhole(result: JsonResult): JsonText | JsonBytes {
  if (isComplete(result)) return result;
  result.cancel();
  throw noObject();
}

function requireObject(value: unknown): Members {
  if (typeof value === 'object' && value !== null) return value as Members;
  throw noObject();
}

function noObject(): UpstreamFault {
  return new UpstreamFault('wrong', 'the result is not an object');
}
