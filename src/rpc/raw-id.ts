/**
 * Extracts the text of numeric `id` members. An id must be echoed to the last digit, but `JSON.parse` changes 9007199254740993 and 1.0. All functions require
 * text that `JSON.parse` has accepted.
 */

const NUMBER_MEMBER = /[ \t\n\r]*:[ \t\n\r]*(-?[0-9][0-9.eE+-]*)/y;
const ID_TOKEN_LENGTH = '"id"'.length;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const CLOSING_BRACE = 0x7d;

/** Returns the raw text of the numeric `id` member of the object in `text`. Returns undefined where the object has no numeric `id`. */
export function findRawId(text: string): string | undefined {
  const at = findIdToken(text, 0);
  // Without escapes, the key `id` has only one encoding. A single occurrence of `"id"` is therefore the key of the member.
  if (at >= 0 && findIdToken(text, at + ID_TOKEN_LENGTH) < 0 && !text.includes('\\')) {
    return readNumberMember(text, at + ID_TOKEN_LENGTH);
  }
  return scanRawIds(text, 1)[0];
}

/**
 * Returns the raw numeric ids of the objects in the array in `text`, by position. Elements without a numeric id have an undefined entry.
 * @param elements the parsed array, if available; with it, nearly all texts need no scan
 */
export function findRawIds(text: string, elements?: readonly unknown[]): (string | undefined)[] {
  return (elements && findLoneIds(text, elements)) ?? scanRawIds(text, 2);
}

/**
 * Returns the ids without scanning the text; undefined if a scan is needed. Two conditions make each occurrence of `"id"` the member of one element.
 * The text has no escapes, and `"id"` occurs as often as there are elements with that member.
 */
function findLoneIds(text: string, elements: readonly unknown[]): (string | undefined)[] | undefined {
  if (text.includes('\\')) return undefined;
  const ids: (string | undefined)[] = [];
  let from = 0;
  for (const element of elements) {
    if (typeof element === 'object' && element !== null && Object.hasOwn(element, 'id')) {
      from = findIdToken(text, from) + ID_TOKEN_LENGTH;
      ids.push(readSimpleNumber(text, from, (element as { id: unknown }).id) ?? readNumberMember(text, from));
    } else ids.push(undefined);
  }
  return findIdToken(text, from) < 0 ? ids : undefined;
}

/** Returns the index of the next `"id"`, or a negative number. The search looks for `id"` first, because quotes alone are frequent. */
function findIdToken(text: string, from: number): number {
  let at = text.indexOf('id"', from);
  while (at > 0 && text.charCodeAt(at - 1) !== QUOTE) at = text.indexOf('id"', at + 1);
  return at - 1;
}

/**
 * Scans the text for ids. The depth is a counter, so nesting takes no stack.
 * @param level nesting depth of the request objects
 */
function scanRawIds(text: string, level: number): (string | undefined)[] {
  const ids: (string | undefined)[] = [];
  let element = 0;
  let depth = 0;
  let keyIsNext = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = findStringEnd(text, at);
        if (keyIsNext) {
          keyIsNext = false;
          // If a key occurs twice, the last member with this key is used, as in JSON.parse.
          if (isIdKey(text, at, end)) ids[element] = readNumberMember(text, end + 1);
        }
        at = end;
        break;
      }
      case 0x7b: // {
        depth++;
        keyIsNext = depth === level;
        break;
      case 0x5b: // [
        depth++;
        keyIsNext = false;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        keyIsNext = false;
        break;
      case 0x2c: // ,
        keyIsNext = depth === level;
        if (depth === level - 1) element++;
        break;
    }
  }
  return ids;
}

/** Returns the index of the quote that closes the string opened at `open`. */
function findStringEnd(text: string, open: number): number {
  let end = text.indexOf('"', open + 1);
  while (end > 0 && text.charCodeAt(end - 1) === BACKSLASH) {
    let first = end - 1;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((end - first) % 2 === 0) break;
    end = text.indexOf('"', end + 1);
  }
  return end;
}

function isIdKey(text: string, open: number, close: number): boolean {
  if (close - open === 3) return text.startsWith('id', open + 1);
  // `\u0069\u0064` is the longest encoding of the key `id`.
  if (close - open > 13) return false;
  const key = text.slice(open, close + 1);
  return key.includes('\\') && JSON.parse(key) === 'id';
}

/**
 * Reads an id on the fast path. Returns the number if it directly follows its colon, in the form in which JavaScript writes `value`. Returns
 * undefined for any other id.
 */
function readSimpleNumber(text: string, at: number, value: unknown): string | undefined {
  if (typeof value !== 'number' || text.charCodeAt(at) !== COLON) return undefined;
  const written = String(value);
  if (!text.startsWith(written, at + 1)) return undefined;
  const next = text.charCodeAt(at + 1 + written.length);
  return next === COMMA || next === CLOSING_BRACE ? written : undefined;
}

function readNumberMember(text: string, at: number): string | undefined {
  NUMBER_MEMBER.lastIndex = at;
  return NUMBER_MEMBER.exec(text)?.[1];
}
