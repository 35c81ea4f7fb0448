import { type JsonBytes, type JsonText, textOf } from './json-result.ts';

/** Maximum length of a text that is parsed in one piece, UTF-16 units. The most expensive JSON, objects with one unique key each, takes 15 ms. */
export const PIECE_LENGTH: number = 128 * 1024;

/** The text is too long to be parsed in one piece. The caller parses the text with pauses, and then runs the reader again. */
export class UnparsedText extends Error {
  override readonly name = 'UnparsedText';
  readonly text: JsonText | JsonBytes;

  constructor(text: JsonText | JsonBytes) {
    super('the text is not parsed yet');
    this.text = text;
  }
}

/** Parsed values of long texts. */
export type ParsedTexts = ReadonlyMap<JsonText | JsonBytes, unknown>;

/** Parsed long texts of the current run; undefined if long texts may be parsed in one piece. */
let parsed: ParsedTexts | undefined;

/**
 * Parses JSON from another program like `JSON.parse`. Long byte inputs are never converted to a string.
 * @throws SyntaxError if the text is not JSON
 * @throws UnparsedText inside `runWithParsed`, if the text is long and has not been parsed before
 */
export function parseJsonText(text: JsonText | JsonBytes): unknown {
  if (parsed === undefined || text.length <= PIECE_LENGTH) return JSON.parse(textOf(text));
  const value = parsed.get(text);
  if (value === undefined) throw new UnparsedText(text);
  return value;
}

/**
 * Runs code that calls `parseJsonText` and must not block the event loop with a long text.
 * @param texts long texts that have been parsed
 */
export function runWithParsed<T>(texts: ParsedTexts, read: () => T): T {
  const before = parsed;
  parsed = texts;
  try {
    return read();
  } finally {
    parsed = before;
  }
}
