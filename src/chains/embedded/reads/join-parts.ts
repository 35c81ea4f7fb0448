import type { JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';

/** Text length above which an answer is streamed, UTF-16 units. Each piece of a streamed answer is encoded when the consumer reads it. */
const LARGE_ANSWER = 256 * 1024;

/**
 * Joins small parts of a JSON text to one string, or to a stream if the text is longer than `LARGE_ANSWER`.
 * @param reservedBytes size of the data from which the parts are encoded and which a stream retains, bytes
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

/** Length of a streamed piece, UTF-16 units. */
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
