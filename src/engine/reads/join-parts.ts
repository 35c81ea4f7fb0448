import type { JsonResult } from '../../primitives/json-result.ts';

/** Answers of more UTF-16 units than this are handed on in pieces, which are made as they are taken. */
const LARGE_ANSWER = 256 * 1024;

/**
 * One text of small parts, or a stream of it.
 * @param heldBytes of what they are made from
 */
export function joinParts(parts: Iterator<string>, heldBytes: number): JsonResult {
  let text = '';
  for (let part = parts.next(); part.done !== true; part = parts.next()) {
    text += part.value;
    if (text.length > LARGE_ANSWER) return { pieces: encodeParts(text, parts), cancel: () => {}, heldBytes };
  }
  return text;
}

/** Of a piece, in UTF-16 units. */
const PIECE_LENGTH = 64 * 1024;

async function* encodeParts(
  begun: string,
  rest: Iterator<string>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let text = begun;
  for (let part = rest.next(); part.done !== true; part = rest.next()) {
    if (text.length >= PIECE_LENGTH) {
      yield Buffer.from(text);
      text = '';
    }
    text += part.value;
  }
  yield Buffer.from(text);
}
