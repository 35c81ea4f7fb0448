import type { JsonStream, JsonText } from '../primitives/json-result.ts';

/** Texts of more UTF-16 units than this are sent in pieces. */
export const LARGE_TEXT: number = 256 * 1024;
/** Of a piece, in UTF-16 units or bytes. */
export const TEXT_PIECE: number = 64 * 1024;

/** What a text is made of: texts, their bytes, and streams that are read in their place. */
type Part = JsonText | Uint8Array | JsonStream;

/** A text that is there in parts as a stream: it is never put together. */
export function streamParts(
  parts: Iterable<Part>,
  heldBytes: number,
  cancel: () => void = () => {},
): JsonStream {
  return { pieces: joinParts(parts), cancel, heldBytes };
}

/** Small parts are put together, large ones cut. */
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
      for (const slice of cutText(part)) yield Buffer.from(slice);
    } else {
      text += part;
      if (text.length < TEXT_PIECE) continue;
      yield Buffer.from(text);
      text = '';
    }
  }
  if (text !== '') yield Buffer.from(text);
}

/** Slices of a text, none of which ends inside a pair of surrogates. */
export function* cutText(text: string): Generator<string, void, undefined> {
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
