import type { JsonResult } from '../../primitives/json-result.ts';
import { parseJsonText } from '../../primitives/parse-json.ts';
import { UpstreamFault } from '../fault.ts';

/** The members of an object in an answer. @throws UpstreamFault when it is none */
export function parseObject(result: JsonResult): Readonly<Record<string, unknown>> {
  const value: unknown = typeof result === 'string' ? parseJsonText(result) : undefined;
  if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  if (typeof result !== 'string') result.cancel();
  throw new UpstreamFault('wrong', 'the result is no object');
}
