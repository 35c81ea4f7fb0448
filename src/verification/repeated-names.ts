import { type JsonBytes, type JsonText, textOf } from '../primitives/json-result.ts';
import { findStringEnd } from '../primitives/json-strings.ts';
import { findRepeats } from '../primitives/parse-in-slices.ts';
import type { Findings } from './findings.ts';

const COLON = 0x3a;
const LAST_BLANK = 0x20;
export const REPEATED: string = 'an object of the answer has a name more than once';

/**
 * Whether an object in a text has a name more than once. Of such members this program takes the last; other parsers may take another, or refuse the text.
 * A long text that was parsed with pauses is not gone through again.
 * @param value what the text was parsed to
 */
export function hasRepeatedNames(text: JsonText | JsonBytes, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return findRepeats(value) ?? countNames(textOf(text)) !== countMembers(value);
}

/** As `hasRepeatedNames`, for answers that cannot be written anew, because they have been passed on in part: what is wrong is among the findings. */
export function refuseRepeatedNames(text: JsonText, value: unknown, findings: Findings): void {
  if (hasRepeatedNames(text, value)) findings.contradict('members', REPEATED, [REPEATED]);
}

/** Strings with a colon behind them. */
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
