import type { JsonBytes, JsonText } from '../primitives/json-result.ts';
import { parseJsonText } from '../primitives/parse-json.ts';
import { hasRepeatedNames, REPEATED } from '../verification/repeated-names.ts';
import { UpstreamFault } from './fault.ts';

/** UTF-16 units or bytes of an answer that is written anew: 3 ms. No node is known that repeats names in a longer one. */
const MAX_LENGTH = 1024 * 1024;

/**
 * An answer that was compared, as other parsers may read it: written anew where an object in it has a name more than once.
 * @throws UpstreamFault `wrong` where that would take long
 */
export function keepUnique<A extends JsonText | JsonBytes>(answer: A): A | JsonText {
  const value: unknown = parseJsonText(answer);
  if (!hasRepeatedNames(answer, value)) return answer;
  if (answer.length > MAX_LENGTH) throw new UpstreamFault('wrong', REPEATED);
  return JSON.stringify(value);
}
