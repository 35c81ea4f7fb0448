import type { JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';

/** Length above which an answer is streamed, and its pieces are produced on demand, UTF-16 units. */
const LARGE_ANSWER = 256 * 1024;

/**
 * Joins small parts to one string, or to a stream if the text is long.
 * @param reservedBytes size of the data from which the parts are encoded
 */
export function joinParts(parts: Iterator<string>, reservedBytes: number): JsonResult {
  let text = '';
  for (let part = parts.next(); part.done !== true; part = parts.next()) {
    text += part.value;
    if (text.length > LARGE_ANSWER)
      return { pieces: encodeParts(text, parts), cancel: () => {}, reservedBytes };
  }
  return text;
}

/** Piece length, UTF-16 units. */
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
