import type { JsonBytes, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { parseJsonText } from '../../../packages/ethereum/primitives/parse-json.ts';
import { hasRepeatedNames, REPEATED } from '../../../packages/proofs/repeated-names.ts';
import { UpstreamFault } from '../../pool/fault.ts';

/**
 * Maximum length of an answer that is rewritten, UTF-16 units or bytes. Rewriting takes about 3 ms at this length. A longer answer with repeated
 * names is rejected; no known node sends one.
 */
const MAX_LENGTH = 1024 * 1024;

/**
 * Returns a checked answer in a form that all JSON parsers read alike: if an object repeats a name, the answer is serialized again.
 * @throws UpstreamFault `wrong` if the answer is too long to rewrite
 */
export function keepUnique<A extends JsonText | JsonBytes>(answer: A): A | JsonText {
  const value: unknown = parseJsonText(answer);
  return hasRepeatedNames(answer, value) ? rewriteAnswer(answer, value, REPEATED) : answer;
}

/**
 * Serializes the changed value of a checked answer. The new text then replaces the answer.
 * @param why reason of the replacement, for the error text
 * @param maxLength maximum length of an answer that is rewritten, UTF-16 units or bytes
 * @throws UpstreamFault `wrong` if the answer is too long to rewrite
 */
export function rewriteAnswer(
  answer: JsonText | JsonBytes,
  value: unknown,
  why: string,
  maxLength: number = MAX_LENGTH,
): JsonText {
  if (answer.length > maxLength) throw new UpstreamFault('wrong', why);
  return JSON.stringify(value);
}
