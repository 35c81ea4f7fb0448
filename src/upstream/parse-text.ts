/** Texts of nodes are parsed without a long pause of the event loop, however long they are and whatever is in them. */
import type { JsonText } from '../primitives/json-result.ts';
import { parseInSlices, TooManyMembers } from '../primitives/parse-in-slices.ts';
import { PIECE_LENGTH, runWithParsed, UnparsedText } from '../primitives/parse-json.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import { excessive } from './transport/answer-shape.ts';

/** Of one turn of the event loop, milliseconds. */
const TURN_MS = 2;
/** Members of one object of a long text: headers, receipts and logs have fewer than fifty. */
const MAX_MEMBERS = 4_096;
/** Texts that one check parses. */
const MAX_TEXTS = 4;

/** The value of a text: at once where it is short, with pauses otherwise. */
export function parseText(text: JsonText): PromiseOrValue<unknown> {
  return text.length <= PIECE_LENGTH ? (JSON.parse(text) as unknown) : parseInTurns(text);
}

/**
 * Runs what parses texts with `parseJsonText`, again where one of them is long: then it has been parsed. Nothing that it does before it parses may
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

/** Runs what parses a text with `parseJsonText`, as often as that takes, after the text has been parsed once. */
export async function openParsed(text: JsonText): Promise<<T>(read: () => T) => T> {
  if (text.length <= PIECE_LENGTH) return (read) => read();
  const texts = new Map([[text, await parseInTurns(text)]]);
  return (read) => runWithParsed(texts, read);
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

/** @throws UpstreamFault `excessive` for an object with more members than any answer has that is parsed */
async function parseInTurns(text: JsonText): Promise<unknown> {
  try {
    return await runInTurns(parseInSlices(text, MAX_MEMBERS));
  } catch (error) {
    throw error instanceof TooManyMembers ? excessive('members of an object') : error;
  }
}

async function runInTurns(slices: Generator<undefined, unknown>): Promise<unknown> {
  for (let turnEnd = performance.now() + TURN_MS; ; ) {
    const slice = slices.next();
    if (slice.done === true) return slice.value;
    if (performance.now() < turnEnd) continue;
    await new Promise((resolve) => setImmediate(resolve));
    turnEnd = performance.now() + TURN_MS;
  }
}
