import { decodeHexInto } from './byte-loops.ts';

/** Number of digits up to which a JavaScript loop is faster than a call into WebAssembly. */
const SHORT_DIGITS = 80;
const FIRST_SIZE = 65_536;
/** Maximum size of the buffer, bytes. Limits on the size of responses are far lower. */
const MAX_SIZE: number = 1 << 28;
const NOT_HEX = 255;
const STRING_BASE = 0x80;
const LIST_BASE = 0xc0;
const LONG_FORM = 56;

/** Value of each ASCII character as a hex digit. */
const DIGITS: Uint8Array = new Uint8Array(128).fill(NOT_HEX);
for (let i = 0; i < 16; i++) {
  const digit = i.toString(16);
  DIGITS[digit.charCodeAt(0)] = i;
  DIGITS[digit.toUpperCase().charCodeAt(0)] = i;
}

/**
 * Writes RLP from hex text, from the end to the start, so fields are written in reverse order. Each list header is therefore written after its
 * payload, when the payload's length is known. No length must be computed in advance.
 */
export class RlpWriter {
  #bytes: Uint8Array = new Uint8Array(FIRST_SIZE);
  #at: number = FIRST_SIZE;

  /** Write position: number of bytes in the writer. */
  get mark(): number {
    return this.#bytes.length - this.#at;
  }

  /** View of the bytes written since a mark; valid until the next write. */
  view(mark: number): Uint8Array {
    return this.#bytes.subarray(this.#at, this.#bytes.length - mark);
  }

  /** Removes the bytes written since a mark and returns a copy. */
  take(mark: number): Uint8Array {
    const taken = this.view(mark).slice();
    this.#at = this.#bytes.length - mark;
    return taken;
  }

  /** Discards the bytes written since a mark. */
  rewind(mark: number): void {
    this.#at = this.#bytes.length - mark;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[--this.#at] = value;
  }

  /** Writes bytes without a header. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    this.#bytes.set(bytes, this.#at);
  }

  /** Writes a byte string. */
  bytes(bytes: Uint8Array): void {
    this.raw(bytes);
    this.#closeString(bytes.length);
  }

  /**
   * Writes a byte string from `0x` and an even number of digits.
   * @returns false, with nothing written, for any other text
   */
  data(text: string): boolean {
    if (text.length % 2 !== 0 || !text.startsWith('0x')) return false;
    const length = (text.length - 2) / 2;
    if (!this.#digits(text, 2, length)) return false;
    this.#closeString(length);
    return true;
  }

  /**
   * Writes bytes without a header from `0x` and an even number of digits.
   * @returns false, with nothing written, for any other text
   */
  rawData(text: string): boolean {
    if (text.length % 2 !== 0 || !text.startsWith('0x')) return false;
    return this.#digits(text, 2, (text.length - 2) / 2);
  }

  /**
   * Writes an unsigned integer in its shortest form from `0x` and any number of digits.
   * @returns false, with nothing written, for any other text
   */
  quantity(text: string): boolean {
    if (text.length < 3 || !text.startsWith('0x')) return false;
    let from = 2;
    while (from < text.length && text.charCodeAt(from) === 48) from++;
    const digits = text.length - from;
    const length = (digits + 1) >> 1;
    this.#reserve(length);
    let at = this.#at;
    for (let end = text.length; end > from; end -= 2) {
      const low = digitAt(text, end - 1);
      const high = end - 2 >= from ? digitAt(text, end - 2) : 0;
      if ((low | high) > 15) return false;
      this.#bytes[--at] = (high << 4) | low;
    }
    this.#at = at;
    this.#closeString(length);
    return true;
  }

  /** Adds the header that makes the bytes written since `mark` one list. */
  list(mark: number): void {
    this.#header(LIST_BASE, this.mark - mark);
  }

  #digits(text: string, from: number, length: number): boolean {
    this.#reserve(length);
    const start = this.#at - length;
    if (2 * length > SHORT_DIGITS) {
      if (!decodeHexInto(this.#bytes, start, text, from)) return false;
    } else {
      for (let i = 0, at = from; i < length; i++, at += 2) {
        const high = digitAt(text, at);
        const low = digitAt(text, at + 1);
        if ((high | low) > 15) return false;
        this.#bytes[start + i] = (high << 4) | low;
      }
    }
    this.#at = start;
    return true;
  }

  #closeString(length: number): void {
    if (length !== 1 || (this.#bytes[this.#at] as number) >= STRING_BASE) this.#header(STRING_BASE, length);
  }

  #header(base: number, length: number): void {
    this.#reserve(8);
    if (length < LONG_FORM) {
      this.#bytes[--this.#at] = base + length;
      return;
    }
    let count = 0;
    for (let rest = length; rest > 0; rest = Math.floor(rest / 256), count++)
      this.#bytes[--this.#at] = rest % 256;
    this.#bytes[--this.#at] = base + LONG_FORM - 1 + count;
  }

  #reserve(length: number): void {
    if (this.#at >= length) return;
    const used = this.mark;
    let size = this.#bytes.length;
    while (size - used < length) size *= 2;
    if (size > MAX_SIZE) throw new RangeError(`rlp: more than ${MAX_SIZE} bytes`);
    const grown = new Uint8Array(size);
    grown.set(this.#bytes.subarray(this.#at), size - used);
    this.#bytes = grown;
    this.#at = size - used;
  }
}

function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? (DIGITS[code] as number) : NOT_HEX;
}
