import { type JsonBytes, type JsonText, textOf } from './json-result.ts';

/**
 * Text that is parsed in one piece, UTF-16 units. Objects with a key each that no other has are the most expensive JSON there is: 15 ms for
 * this much of it.
 */
export const PIECE_LENGTH: number = 128 * 1024;

/** A text is too long to be parsed in one piece: it is to be parsed with pauses, and what needed it run again. */
export class UnparsedText extends Error {
  override readonly name = 'UnparsedText';
  readonly text: JsonText | JsonBytes;

  constructor(text: JsonText | JsonBytes) {
    super('a text has to be parsed with pauses first');
    this.text = text;
  }
}

/** Values of long texts. */
export type ParsedTexts = ReadonlyMap<JsonText | JsonBytes, unknown>;

/** Values of long texts that are there for what runs now; undefined where long texts may be parsed in one piece. */
let parsed: ParsedTexts | undefined;

/**
 * Parses JSON that another program wrote, as `JSON.parse` does. Bytes of a long one are never made a text.
 * @throws UnparsedText inside of `runWithParsed`, where the text is long and not among those that are parsed
 */
export function parseJsonText(text: JsonText | JsonBytes): unknown {
  if (parsed === undefined || text.length <= PIECE_LENGTH) return JSON.parse(textOf(text));
  const value = parsed.get(text);
  if (value === undefined) throw new UnparsedText(text);
  return value;
}

/** Runs what parses texts with `parseJsonText`, where the event loop must not wait for a long one. @param texts that have been parsed */
export function runWithParsed<T>(texts: ParsedTexts, read: () => T): T {
  const before = parsed;
  parsed = texts;
  try {
    return read();
  } finally {
    parsed = before;
  }
}
