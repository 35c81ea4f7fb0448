import { type JsonBytes, type JsonText, textOf } from '../ethereum/primitives/json-result.ts';
import { findStringEnd } from '../ethereum/primitives/json-strings.ts';
import { findRepeats } from '../ethereum/primitives/parse-in-slices.ts';
import type { Findings } from './findings.ts';

const COLON = 0x3a;
const LAST_BLANK = 0x20;
export const REPEATED: string = 'an object in the answer has a member more than once';

/**
 * Whether an object in a JSON text repeats a member name. If members have the same name, this program uses the last one. Another JSON parser may use
 * another one of these members, or reject the text. A long text that was parsed with pauses is not scanned again.
 * @param value result of parsing the text
 */
export function hasRepeatedNames(text: JsonText | JsonBytes, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return findRepeats(value) ?? countNames(textOf(text)) !== countMembers(value);
}

/** Adds a finding if an object repeats a member name, for responses that cannot be rewritten because a part has already been forwarded. */
export function refuseRepeatedNames(text: JsonText, value: unknown, findings: Findings): void {
  if (hasRepeatedNames(text, value)) findings.contradict('members', REPEATED, [REPEATED]);
}

/** Counts strings that are followed by a colon. */
function countNames(text: JsonText): number {
  let names = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    at = findStringEnd(text, at) + 1;
    while (text.charCodeAt(at) <= LAST_BLANK) at++;
    if (text.charCodeAt(at) === COLON) names++;
  }
  return names;
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Object.values(value);
  let count = Array.isArray(value) ? 0 : items.length;
  for (const item of items) count += countMembers(item);
  return count;
}
