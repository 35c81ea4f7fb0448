/** Texts of nodes are parsed without a long pause of the event loop, however long they are and whatever is in them. */
import type { JsonText } from '../primitives/json-result.ts';
import { parseInSlices } from '../primitives/parse-in-slices.ts';
import { PIECE_LENGTH, runWithParsed, UnparsedText } from '../primitives/parse-json.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';

/** Of one turn of the event loop, milliseconds. */
const TURN_MS = 2;
/** Texts that one check parses. */
const MAX_TEXTS = 4;

/** The value of a text: at once where it is short, with pauses otherwise. */
export function parseText(text: JsonText): PromiseOrValue<unknown> {
  return text.length <= PIECE_LENGTH ? (JSON.parse(text) as unknown) : parseInTurns(text);
}

/**
 * Runs what parses texts with `parseJson`, again where one of them is long: then it has been parsed. Nothing that it does before it parses may
 * matter twice.
 * @throws what it throws, at once or by rejection
 */
export function checkParsed<T>(read: () => T): PromiseOrValue<T> {
  try {
    return runWithParsed(new Map(), read);
  } catch (error) {
    if (!(error instanceof UnparsedText)) throw error;
    return readAgain(error, read);
  }
}

async function readAgain<T>(first: UnparsedText, read: () => T): Promise<T> {
  const texts = new Map<JsonText, unknown>();
  for (let missing = first; ; ) {
    texts.set(missing.text, await parseInTurns(missing.text));
    try {
      return runWithParsed(texts, read);
    } catch (error) {
      if (!(error instanceof UnparsedText) || texts.size === MAX_TEXTS) throw error;
      missing = error;
    }
  }
}

async function parseInTurns(text: JsonText): Promise<unknown> {
  const slices = parseInSlices(text);
  for (let turnEnd = performance.now() + TURN_MS; ; ) {
    const slice = slices.next();
    if (slice.done === true) return slice.value;
    if (performance.now() < turnEnd) continue;
    await new Promise((resolve) => setImmediate(resolve));
    turnEnd = performance.now() + TURN_MS;
  }
}
