import { utf8Decoder } from './utf8.ts';

/** Characters that a parser reads by position: the units of a text, or the bytes of one in UTF-8. */
export interface Characters {
  readonly length: number;
  charCodeAt(at: number): number;
  /** @param sign of ASCII */
  indexOf(sign: string, from?: number): number;
  /** The text between two positions, at neither of which a character is cut. */
  slice(from: number, to: number): string;
}

/** Bytes that are decoded at once: most parts that are asked for are short, and follow each other. */
const WINDOW_BYTES = 64 * 1024;

/**
 * A text in UTF-8 that is never put together: a string of 31 MB takes 25 ms in one piece, most of it for fresh memory. The marks of JSON are ASCII, so a parser
 * finds them by positions of bytes as by those of units.
 */
export class Utf8Text implements Characters {
  readonly length: number;
  readonly #bytes: Uint8Array;
  /** Bytes that are decoded, and their text, where each of them is a character. */
  #start = 0;
  #end = 0;
  #text: string | undefined;

  /** @param bytes valid UTF-8 that does not change */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.length = bytes.length;
  }

  charCodeAt(at: number): number {
    return this.#bytes[at] as number;
  }

  indexOf(sign: string, from = 0): number {
    return this.#bytes.indexOf(sign.charCodeAt(0), from);
  }

  slice(from: number, to: number): string {
    if (from < this.#start || to > this.#end) this.#decodeWindow(from);
    if (to <= this.#end && this.#text !== undefined)
      return this.#text.slice(from - this.#start, to - this.#start);
    return utf8Decoder.decode(this.#bytes.subarray(from, to));
  }

  /** The part from a position on, of so many bytes, or up to three fewer: its last character is whole. */
  cut(from: number, bytes: number): Utf8Text {
    return new Utf8Text(this.#bytes.subarray(from, this.#endBefore(from + bytes)));
  }

  /** Where a part that is to end here ends, so that no character is cut. */
  #endBefore(to: number): number {
    let end = Math.min(to, this.length);
    while (end < this.length && ((this.#bytes[end] as number) & 0xc0) === 0x80) end--;
    return end;
  }

  #decodeWindow(from: number): void {
    const end = this.#endBefore(from + WINDOW_BYTES);
    const text = utf8Decoder.decode(this.#bytes.subarray(from, end));
    this.#start = from;
    this.#end = end;
    // Every other character has fewer units than bytes.
    this.#text = text.length === end - from ? text : undefined;
  }
}

/** The characters of a text, or of its bytes. */
export function toCharacters(text: string | Uint8Array): Characters {
  return typeof text === 'string' ? text : new Utf8Text(text);
}

/** A part of so many characters, or a little fewer. */
export function cutCharacters(text: Characters | Utf8Text, from: number, length: number): Characters {
  return text instanceof Utf8Text ? text.cut(from, length) : text.slice(from, from + length);
}
