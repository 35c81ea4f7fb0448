import { type JsonBytes, type JsonText, textOf } from './json-result.ts';

/**
 * Maximum length of a text that is parsed without a pause, UTF-16 units. At this length, the most expensive JSON (objects with one unique key each)
 * takes 15 ms.
 */
export const PIECE_LENGTH: number = 128 * 1024;

/**
 * Error: the text is too long to be parsed without a pause. The caller must parse the long text with `parseInSlices`, and then call `runWithParsed`
 * again.
 */
export class UnparsedText extends Error {
  override readonly name = 'UnparsedText';
  readonly text: JsonText | JsonBytes;

  constructor(text: JsonText | JsonBytes) {
    super('the text is not parsed yet');
    this.text = text;
  }
}

/** Parsed values by long text. */
export type ParsedTexts = ReadonlyMap<JsonText | JsonBytes, unknown>;

/** Parsed long texts of the current `runWithParsed`; undefined outside of it, where long texts are parsed without a pause. */
let parsed: ParsedTexts | undefined;

/**
 * Parses JSON from another program like `JSON.parse`. Inside `runWithParsed`, long byte inputs are not converted to a string.
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
 * @param texts parsed values of the long texts that `read` may need
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
