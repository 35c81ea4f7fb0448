import type { JsonBytes, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { parseJsonText } from '../../../packages/ethereum/primitives/parse-json.ts';
import { hasRepeatedNames, REPEATED } from '../../../packages/proofs/repeated-names.ts';
import { UpstreamFault } from '../../pool/fault.ts';

/** Longest answer that is rewritten, UTF-16 units or bytes: 3 ms. No node is known to repeat names in a longer one. */
const MAX_LENGTH = 1024 * 1024;

/**
 * Returns a checked answer such that all parsers read it alike: it is rewritten if an object in it has a name more than once.
 * @throws UpstreamFault `wrong` if it is too long to rewrite
 */
export function keepUnique<A extends JsonText | JsonBytes>(answer: A): A | JsonText {
  const value: unknown = parseJsonText(answer);
  if (!hasRepeatedNames(answer, value)) return answer;
  if (answer.length > MAX_LENGTH) throw new UpstreamFault('wrong', REPEATED);
  return JSON.stringify(value);
}
