import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { limitOf } from '../util/bounds.ts';

/** Maximum nesting depth of a JSON body. No parameter nests deeper than six levels, and a parser spends a second on megabytes of brackets. */
const MAX_DEPTH = limitOf('body.depth');
/**
 * Maximum elements, members and containers of one body. No valid request of 5 MiB has more values: the shortest values that requests repeat are
 * storage keys of 69 bytes each. A parser takes half a microsecond per value.
 */
export const MAX_BODY_VALUES: number = limitOf('body.values');
/** Maximum characters of a number. Numbers in parameters have fewer than 20 characters. */
export const MAX_NUMBER_LENGTH: number = limitOf('body.numberLength');
/** Maximum run of whitespace, in characters. A parser cannot pause inside a run. */
export const MAX_BLANKS: number = limitOf('body.blanks');
/** Length of the longest encoding of the key `id`, which is `\u0069\u0064`. */
const MAX_ID_KEY_LENGTH = 12;

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
/** Bit that distinguishes objects from lists: `[` is 0x5b and `{` is 0x7b. The code of `]` or `}` is the code of `[` or `{` plus two. */
const OBJECT_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Reason why a body must not be parsed. */
export type ScanProblem = 'tooDeep' | 'tooManyValues' | 'tooManyItems' | 'longNumber' | 'longBlanks';

/**
 * Incremental scan of a large body before parsing, at a fraction of the parsing cost. The scan bounds the parsing cost, and records the text of
 * numeric `id` members (see `raw-id`). If the body is not JSON text, the results of the scan have no meaning.
 */
export class BodyScan {
  readonly #body: Buffer;
  readonly #maxItems: number;
  /** Nesting depth of request objects: 1 for a single request, 2 for a batch, 0 before the first container begins. */
  #level = 0;
  #at = 0;
  #depth = 0;
  #values = 0;
  #members = 0;
  #element = 0;
  /** Position of the quote that opens the current string; negative outside of strings. */
  #stringStart = -1;
  /** Start of the current gap: the position after the last string, bracket, comma or colon. A gap contains numbers, literals and whitespace. */
  #gapStart = 0;
  #isKeyNext = false;
  #problem: ScanProblem | undefined;
  readonly #rawIds: (JsonText | undefined)[] = [];

  /** @param maxItems maximum items of a batch */
  constructor(body: Buffer, maxItems: number) {
    this.#body = body;
    this.#maxItems = maxItems;
  }

  get problem(): ScanProblem | undefined {
    return this.#problem;
  }

  /** Whether the outermost container is a list, as in a batch. */
  get isList(): boolean {
    return this.#level === 2;
  }

  /** Number of members of all objects. Members dominate the cost of parsing. */
  get members(): number {
    return this.#members;
  }

  /**
   * Raw text of the numeric `id` of each request object, by position in the batch. The element of a request object without a numeric `id` is
   * undefined.
   */
  get rawIds(): readonly (JsonText | undefined)[] {
    return this.#rawIds;
  }

  /**
   * Scans about `bytes` further bytes of the body.
   * @returns whether the scan is complete, either at the end of the body or with a problem
   */
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
    if (this.#stringStart < 0 && (at >= body.length || at - this.#gapStart > MAX_BLANKS)) this.#endGap(at);
    return this.#problem !== undefined || at >= body.length;
  }

  /** Ends the gap before `end`. A gap of at most `MAX_NUMBER_LENGTH` is not inspected, because it cannot exceed a limit. */
  #checkGap(end: number): void {
    if (end - this.#gapStart > MAX_NUMBER_LENGTH) this.#endGap(end);
    this.#gapStart = end + 1;
  }

  #endGap(gapEnd: number): void {
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

  /**
   * Continues the scan inside a string.
   * @returns the position after the string; `to` or `to + 1` where the string goes on beyond `to`
   */
  #readString(start: number, to: number): number {
    const body = this.#body;
    const quote = body.indexOf(QUOTE, start);
    if (quote < 0) return body.length;
    if (quote === start || body[quote - 1] !== BACKSLASH) return this.#endString(quote);
    // The string may contain many escaped quotes. A scan byte by byte is then faster than a search for each quote.
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
      // If a key occurs twice, the last member with this key is used, as in JSON.parse.
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
    // Characters beyond `MAX_NUMBER_LENGTH` are not read, because a longer number makes the body invalid.
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
