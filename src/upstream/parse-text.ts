/** Texts of nodes are parsed without a long pause of the event loop, however long they are and whatever is in them. */
import type { JsonText } from '../primitives/json-result.ts';
import { parseInSlices, TooManyMembers } from '../primitives/parse-in-slices.ts';
import { PIECE_LENGTH, runWithParsed, UnparsedText } from '../primitives/parse-json.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import { TURNS } from '../util/turn-queue.ts';
import { excessive } from './transport/answer-shape.ts';

/** Members of one object of a long text: headers, receipts and logs have fewer than fifty. */
const MAX_MEMBERS = 4_096;
/** Texts that one check parses. */
const MAX_TEXTS = 4;

/** The value of a text: at once where it is short, in turns of the owner otherwise. */
export function parseText(text: JsonText, owner = ''): PromiseOrValue<unknown> {
  return text.length <= PIECE_LENGTH ? (JSON.parse(text) as unknown) : parseInTurns(text, owner);
}

/**
 * Runs what parses texts with `parseJsonText`, again where one of them is long: then it has been parsed. Nothing that it does before it parses may
 * matter twice.
 * @param owner whose turns it takes then
 * @throws what it throws, at once or by rejection
 */
export function checkParsed<T>(read: () => T, owner = ''): PromiseOrValue<T> {
  try {
    return runWithParsed(new Map(), read);
  } catch (error) {
    if (!(error instanceof UnparsedText)) throw error;
    return readAgain(error, read, owner);
  }
}

/** Runs what parses a text with `parseJsonText`, as often as that takes, after the text has been parsed once. */
export async function openParsed(text: JsonText): Promise<<T>(read: () => T) => T> {
  if (text.length <= PIECE_LENGTH) return (read) => read();
  const texts = new Map([[text, await parseInTurns(text, '')]]);
  return (read) => runWithParsed(texts, read);
}

async function readAgain<T>(first: UnparsedText, read: () => T, owner: string): Promise<T> {
  const texts = new Map<JsonText, unknown>();
  for (let missing = first; ; ) {
    texts.set(missing.text, await parseInTurns(missing.text, owner));
    try {
      return await TURNS.take(owner, () => runWithParsed(texts, read));
    } catch (error) {
      if (!(error instanceof UnparsedText) || texts.size === MAX_TEXTS) throw error;
      missing = error;
    }
  }
}

/** @throws UpstreamFault `excessive` for an object with more members than any answer has that is parsed */
async function parseInTurns(text: JsonText, owner: string): Promise<unknown> {
  try {
    return await TURNS.run(owner, parseInSlices(text, MAX_MEMBERS));
  } catch (error) {
    throw error instanceof TooManyMembers ? excessive('members of an object') : error;
  }
}
