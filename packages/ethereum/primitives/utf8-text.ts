import { utf8Decoder } from './utf8.ts';

/** Characters that a parser reads by position: UTF-16 units of a text, or bytes of UTF-8. */
export interface Characters {
  readonly length: number;
  charCodeAt(at: number): number;
  /** @param sign one ASCII character */
  indexOf(sign: string, from?: number): number;
  /** Returns the text between two positions, neither of which may split a character. */
  slice(from: number, to: number): string;
}

/** Bytes that are decoded at once, since most requested parts are short and adjacent. */
const WINDOW_BYTES = 64 * 1024;

/**
 * UTF-8 text that is never converted to one string. The conversion to a string of 31 MB takes 25 ms, mostly for fresh memory. JSON's structural
 * characters are ASCII, so byte positions serve a parser as well as UTF-16 positions.
 */
export class Utf8Text implements Characters {
  readonly length: number;
  readonly #bytes: Uint8Array;
  /** Byte range of the decoded window, and its text; undefined if the window is not all ASCII. */
  #start = 0;
  #end = 0;
  #text: string | undefined;

  /** @param bytes valid UTF-8; must not change */
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

  /** Returns a part of `bytes` bytes from a position. If the end of the part would split a character, the part is up to three bytes shorter. */
  cut(from: number, bytes: number): Utf8Text {
    return new Utf8Text(this.#bytes.subarray(from, this.#endBefore(from + bytes)));
  }

  /** Returns the last position up to `to` that does not split a character. */
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
    // Non-ASCII characters have fewer UTF-16 units than bytes.
    this.#text = text.length === end - from ? text : undefined;
  }
}

/** Returns the characters of a text, or of UTF-8 bytes. */
export function toCharacters(text: string | Uint8Array): Characters {
  return typeof text === 'string' ? text : new Utf8Text(text);
}

/** Returns a part of `length` characters, or up to three fewer. */
export function cutCharacters(text: Characters | Utf8Text, from: number, length: number): Characters {
  return text instanceof Utf8Text ? text.cut(from, length) : text.slice(from, from + length);
}
