import type { JsonText } from '../primitives/json-result.ts';
import { limitOf } from '../util/bounds.ts';

/** No parameter of ours nests deeper than six levels; a parser spends a second on megabytes of brackets. */
const MAX_DEPTH = limitOf('body.depth');
/**
 * Elements, members and containers of one body: more than those of any valid request of 5 MiB, of which the shortest that come in numbers
 * are storage keys, 69 bytes each. A parser takes half a microsecond for one of them.
 */
export const MAX_BODY_VALUES: number = limitOf('body.values');
/** Of a number: those of parameters have fewer than 20. */
export const MAX_NUMBER_LENGTH: number = limitOf('body.numberLength');
/** Blanks in a row: a parser cannot pause in them. */
export const MAX_BLANKS: number = limitOf('body.blanks');
/** Longest way to write the key `id`: `\u0069\u0064`. */
const MAX_ID_KEY_LENGTH = 12;

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
/** `[` and `{` are 0x5b and 0x7b, their counterparts two above: this bit distinguishes lists from objects. */
const OBJECT_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Why a body is not to be parsed. */
export type ScanProblem = 'tooDeep' | 'tooManyValues' | 'tooManyItems' | 'longNumber' | 'longBlanks';

/**
 * Goes through the bytes of a large body before it is parsed, which costs a fraction of that, and may be done piece by piece. Bounds what
 * parsing may cost, and notes the numbers in `id` members as they are written (see `raw-id`). What it finds in bytes that are no JSON text means
 * nothing.
 */
export class BodyScan {
  readonly #body: Buffer;
  readonly #maxItems: number;
  /** Nesting depth of request objects: 2 in a batch. */
  #level = 0;
  #at = 0;
  #depth = 0;
  #values = 0;
  #members = 0;
  #element = 0;
  /** Where the string began that is being read; negative outside of strings. */
  #stringStart = -1;
  /** Behind the last string, bracket, comma or colon: numbers, names and blanks follow. */
  #gapStart = 0;
  #isKeyNext = false;
  #problem: ScanProblem | undefined;
  readonly #rawIds: (JsonText | undefined)[] = [];

  /** @param maxItems of a batch */
  constructor(body: Buffer, maxItems: number) {
    this.#body = body;
    this.#maxItems = maxItems;
  }

  get problem(): ScanProblem | undefined {
    return this.#problem;
  }

  /** Whether the outermost container is a list: a batch. */
  get isList(): boolean {
    return this.#level === 2;
  }

  /** Members of all objects: what is expensive to parse. */
  get members(): number {
    return this.#members;
  }

  /** Raw text of the number in the `id` member of each request object, by position; holes where it has none. */
  get rawIds(): readonly (JsonText | undefined)[] {
    return this.#rawIds;
  }

  /** Reads about `bytes` more. @returns whether the scan is over: at the end of the body, or with a problem */
  run(bytes: number): boolean {
    const body = this.#body;
    const to = Math.min(this.#at + bytes, body.length);
    let at = this.#at;
    while (at < to && this.#problem === undefined) {
      if (this.#stringStart >= 0) {
        at = this.#readString(at, to);
        continue;
      }
      const byte = body[at] as number;
      if (byte === QUOTE) {
        this.#checkGap(at);
        this.#stringStart = at;
      } else if (byte === COMMA) {
        this.#checkGap(at);
        this.#noteComma();
      } else if (byte === COLON) {
        this.#checkGap(at);
        this.#members++;
      } else if ((byte | OBJECT_BIT) === OPEN) {
        this.#checkGap(at);
        this.#noteOpening(byte !== OPEN_LIST);
      } else if ((byte | OBJECT_BIT) === CLOSE) {
        this.#checkGap(at);
        this.#depth--;
        this.#isKeyNext = false;
      }
      at++;
    }
    this.#at = at;
    if (this.#stringStart < 0 && (at >= body.length || at - this.#gapStart > MAX_BLANKS)) this.#judgeGap(at);
    return this.#problem !== undefined || at >= body.length;
  }

  /** What is between two strings, brackets, commas or colons is short. */
  #checkGap(end: number): void {
    if (end - this.#gapStart > MAX_NUMBER_LENGTH) this.#judgeGap(end);
    this.#gapStart = end + 1;
  }

  #judgeGap(gapEnd: number): void {
    const end = Math.min(gapEnd, this.#gapStart + MAX_BLANKS + 1);
    let length = 0;
    for (let at = this.#gapStart; at < end; at++) if (!isBlank(this.#body[at] as number)) length++;
    if (length > MAX_NUMBER_LENGTH) this.#problem ??= 'longNumber';
    else if (end - this.#gapStart - length > MAX_BLANKS) this.#problem ??= 'longBlanks';
  }

  #noteOpening(isObject: boolean): void {
    if (this.#level === 0) this.#level = isObject ? 1 : 2;
    this.#depth++;
    this.#isKeyNext = isObject && this.#depth === this.#level;
    this.#countValue();
    if (this.#depth > MAX_DEPTH) this.#problem = 'tooDeep';
  }

  #noteComma(): void {
    this.#isKeyNext = this.#depth === this.#level;
    this.#countValue();
    if (this.#depth !== this.#level - 1) return;
    this.#element++;
    if (this.#element >= this.#maxItems) this.#problem = 'tooManyItems';
  }

  #countValue(): void {
    this.#values++;
    if (this.#values > MAX_BODY_VALUES) this.#problem = 'tooManyValues';
  }

  /** Goes on inside a string. @returns the place behind it, or `to` or one more when it goes on */
  #readString(start: number, to: number): number {
    const body = this.#body;
    const quote = body.indexOf(QUOTE, start);
    if (quote < 0) return body.length;
    if (quote === start || body[quote - 1] !== BACKSLASH) return this.#endString(quote);
    // With escaped quotes a search for each of them would cost more than to look at every byte.
    for (let at = start; at < to; at++) {
      const byte = body[at];
      if (byte === QUOTE) return this.#endString(at);
      if (byte === BACKSLASH) at++;
      if (at + 1 >= to) return at + 1;
    }
    return to;
  }

  #endString(quote: number): number {
    const start = this.#stringStart + 1;
    this.#stringStart = -1;
    this.#gapStart = quote + 1;
    if (this.#isKeyNext) {
      this.#isKeyNext = false;
      // Of several members with this key the last one counts, as in JSON.parse.
      if (this.#isIdKey(start, quote)) this.#rawIds[this.#element] = this.#readNumberMember(quote + 1);
    }
    return quote + 1;
  }

  #isIdKey(start: number, end: number): boolean {
    const length = end - start;
    if (length < 2 || length > MAX_ID_KEY_LENGTH) return false;
    const key = this.#body.toString('latin1', start, end);
    if (length === 2 || !key.includes('\\')) return key === 'id';
    try {
      return JSON.parse(`"${key}"`) === 'id';
    } catch {
      return false;
    }
  }

  #readNumberMember(from: number): JsonText | undefined {
    let at = this.#skipBlanks(from);
    if (this.#body[at] !== COLON) return undefined;
    at = this.#skipBlanks(at + 1);
    let end = at;
    // One that is longer makes the body unreadable.
    while (end - at <= MAX_NUMBER_LENGTH && isInNumber(this.#body[end] ?? 0)) end++;
    return end === at ? undefined : this.#body.toString('latin1', at, end);
  }

  #skipBlanks(from: number): number {
    let at = from;
    while (at - from <= MAX_BLANKS && isBlank(this.#body[at] ?? 0)) at++;
    return at;
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isInNumber(byte: number): boolean {
  if (byte >= 0x30 && byte <= 0x39) return true;
  return byte === MINUS || byte === PLUS || byte === POINT || (byte | 0x20) === 0x65;
}
