import type { JsonStream, JsonText } from '../../packages/ethereum/primitives/json-result.ts';

/** Maximum length of a text that is sent whole, UTF-16 units. Longer texts are sent in pieces. */
export const LARGE_TEXT: number = 256 * 1024;
/** Size of a piece, in UTF-16 units or bytes. */
export const TEXT_PIECE: number = 64 * 1024;

/** Part of a streamed text: text, bytes, or a nested stream. */
type Part = JsonText | Uint8Array | JsonStream;

/**
 * Streams a text that consists of parts, without concatenating all parts.
 * @param reservedBytes memory that the parts occupy until they are sent
 * @param cancel called when the stream is abandoned
 */
export function streamParts(
  parts: Iterable<Part>,
  reservedBytes: number,
  cancel: () => void = () => {},
): JsonStream {
  return { pieces: joinParts(parts), cancel, reservedBytes };
}

/** Yields the bytes of the parts. Small texts are merged, and large texts are split. */
async function* joinParts(parts: Iterable<Part>): AsyncGenerator<Uint8Array, void, undefined> {
  let text = '';
  for (const part of parts) {
    if (typeof part !== 'string') {
      if (text !== '') yield Buffer.from(text);
      text = '';
      if (part instanceof Uint8Array) yield part;
      else yield* part.pieces;
    } else if (part.length > TEXT_PIECE) {
      if (text !== '') yield Buffer.from(text);
      text = '';
      for (const slice of sliceText(part)) yield Buffer.from(slice);
    } else {
      text += part;
      if (text.length < TEXT_PIECE) continue;
      yield Buffer.from(text);
      text = '';
    }
  }
  if (text !== '') yield Buffer.from(text);
}

/** Splits a text into slices that do not separate surrogate pairs. */
export function* sliceText(text: string): Generator<string, void, undefined> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + TEXT_PIECE, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end++;
    yield text.slice(at, end);
    at = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
