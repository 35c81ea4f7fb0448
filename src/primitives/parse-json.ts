import type { JsonText } from './json-result.ts';

/**
 * Text that is parsed in one piece, UTF-16 units. Objects with a key each that no other has are the most expensive JSON there is: 15 ms for
 * this much of it.
 */
export const PIECE_LENGTH: number = 128 * 1024;

/** A text is too long to be parsed in one piece: it is to be parsed with pauses, and what needed it run again. */
export class UnparsedText extends Error {
  override readonly name = 'UnparsedText';
  readonly text: JsonText;

  constructor(text: JsonText) {
    super('a text has to be parsed with pauses first');
    this.text = text;
  }
}

/** Values of long texts that are there for what runs now; undefined where long texts may be parsed in one piece. */
let parsed: ReadonlyMap<JsonText, unknown> | undefined;

/**
 * Parses JSON that another program wrote, as `JSON.parse` does.
 * @throws UnparsedText inside of `runWithParsed`, where the text is long and not among those that are parsed
 */
export function parseJsonText(text: JsonText): unknown {
  if (parsed === undefined || text.length <= PIECE_LENGTH) return JSON.parse(text);
  const value = parsed.get(text);
  if (value === undefined) throw new UnparsedText(text);
  return value;
}

/** Runs what parses texts with `parseJsonText`, where the event loop must not wait for a long one. @param texts that have been parsed */
export function runWithParsed<T>(texts: ReadonlyMap<JsonText, unknown>, read: () => T): T {
  const before = parsed;
  parsed = texts;
  try {
    return read();
  } finally {
    parsed = before;
  }
}
