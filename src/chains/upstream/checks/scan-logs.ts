import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import type { Characters } from '../../../../packages/ethereum/primitives/utf8-text.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Number of UTF-16 units that are scanned between two pauses, in a fraction of a millisecond. */
const PAUSE_LENGTH = 65_536;

/**
 * Yields the text of each log in receipts (`[{…,"logs":[log,…]},…]`) or in lists of logs (`[[log,…],…]`), so that megabytes of logs are not parsed at
 * once. Yields undefined when the caller should pause.
 * @param text valid JSON
 */
export function* scanLogs(text: Characters): Generator<JsonText | undefined, void> {
  let depth = 0;
  /** Nesting depth inside the list of logs that is being read; -1 outside a list. */
  let logsDepth = -1;
  let logStart = 0;
  /** Start and end of the string that was scanned last. If a value follows, this string is the member's name. */
  let nameStart = 0;
  let nameEnd = 0;
  let pauseAt = PAUSE_LENGTH;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        nameStart = at + 1;
        nameEnd = findStringEnd(text, nameStart);
        at = nameEnd;
        break;
      case OPEN_LIST: {
        const hasLogs = depth === 1 || (depth === 2 && text.slice(nameStart, nameEnd) === 'logs');
        depth++;
        if (hasLogs && logsDepth < 0) logsDepth = depth;
        break;
      }
      case CLOSE_LIST:
        if (depth === logsDepth) logsDepth = -1;
        depth--;
        break;
      case OPEN_OBJECT:
        if (depth === logsDepth) logStart = at;
        depth++;
        break;
      case CLOSE_OBJECT:
        depth--;
        if (depth === logsDepth) yield text.slice(logStart, at + 1);
        break;
    }
    if (at >= pauseAt) {
      pauseAt = at + PAUSE_LENGTH;
      yield undefined;
    }
  }
}

/**
 * Returns the position of the quote that ends a string.
 * @param from position after the string's opening quote
 */
function findStringEnd(text: Characters, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}
