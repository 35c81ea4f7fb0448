import { type JsonBytes, type JsonText, textOf } from '../primitives/json-result.ts';

/** A string of JSON, and the colon behind it where it is a name. */
const STRINGS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

/**
 * Whether an object in a text has a name more than once. Of such members this program takes the last; other parsers may take another, or refuse the text.
 * @param value what the text was parsed to
 */
export function hasRepeatedNames(text: JsonText, value: unknown): boolean {
  let names = 0;
  for (const [, colon] of text.matchAll(STRINGS)) if (colon !== undefined) names++;
  return names !== countMembers(value);
}

/** An answer that was compared, as other parsers may read it: written anew where an object in it has a name more than once. */
export function keepUnique<A extends JsonText | JsonBytes>(answer: A): A | JsonText {
  const text = textOf(answer);
  const value: unknown = JSON.parse(text);
  return hasRepeatedNames(text, value) ? JSON.stringify(value) : answer;
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Object.values(value);
  let count = Array.isArray(value) ? 0 : items.length;
  for (const item of items) count += countMembers(item);
  return count;
}
