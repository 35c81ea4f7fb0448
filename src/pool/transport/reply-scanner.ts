import { UpstreamFault } from '../fault.ts';
import { checkShape, excessive, type ShapeBounds, UNPARSED_SHAPE } from './answer-shape.ts';
import {
  AFTER,
  ARRAY_START,
  BEGIN_KEY,
  BEGINS_VALUE,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  END_LITERAL,
  END_NUMBER,
  END_STRING,
  isNumberState,
  isStringState,
  KEY,
  OBJECT_START,
  OPEN_ARRAY,
  OPEN_OBJECT,
  START,
  STATE_BITS,
  STRING,
  TRANSITIONS,
  VALUE,
} from './json-grammar.ts';
import { type JsonPlace, LEAST_SCANNED, scanInside } from './json-scan.ts';
import { PaddingFinder } from './padding-finder.ts';

/**
 * Maximum length of a key or id that is captured as text, characters. The longest relevant key is `result` written in `\u` escapes: 38 characters
 * with its quotes.
 */
const MAX_CAPTURED = 64;
/** Table by byte: 1 if the byte is a complete character inside of a string. */
const IN_STRING = TRANSITIONS.slice(STRING << 8, (STRING + 1) << 8).map((entry) =>
  entry === STRING ? 1 : 0,
);
const LETTER_N = 0x6e;

/** Position of a member's value in the answer, counted from the first byte of the first chunk. */
export type ScannedMember = {
  readonly start: number;
  /** Position after the last byte of the value; undefined if the value has not ended. */
  readonly end: number | undefined;
  readonly isNull: boolean;
  /**
   * Number of values, keys, lists and objects inside of the value, once the value has ended. Until the value has ended, the number of values, keys,
   * lists and objects before the value in the answer.
   */
  readonly values: number;
};

/**
 * Scans one JSON-RPC answer (an object) while its bytes arrive. Every byte is checked: the answer must be JSON in UTF-8, and must not exceed the
 * bounds of its request. The relevant members may be in any order. The scanner copies nothing; the caller stores the chunks.
 */
export class ReplyScanner {
  readonly #place: JsonPlace = {
    state: START,
    isInKey: false,
    levels: [],
    openBytes: 0,
    values: 0,
    longestText: 0,
    longestName: 0,
    longestNumber: 0,
  };
  #bounds: ShapeBounds;
  #isDone = false;
  /** Position of the current chunk's first byte in the answer. */
  #base = 0;
  /** Start in the current chunk of the key or id that is captured as text; -1 if none is captured. */
  #captureFrom = -1;
  /** Beginning of the captured text, from earlier chunks. */
  #captured = '';
  #key = '';
  #id: string | undefined;
  #result: ScannedMember | undefined;
  #error: ScannedMember | undefined;
  /** Number of scanned bytes of the answer. */
  #bytes = 0;
  readonly #padding: PaddingFinder;

  constructor(bounds: ShapeBounds = UNPARSED_SHAPE) {
    this.#bounds = bounds;
    this.#padding = new PaddingFinder(bounds.trimsZeros);
  }

  /**
   * Replaces the bounds of the answer.
   * @throws UpstreamFault `excessive` if the answer already exceeds the new bounds
   */
  narrow(bounds: ShapeBounds): void {
    this.#bounds = bounds;
    this.#padding.narrow(bounds.trimsZeros);
    checkShape(this.#place, this.#bytes, bounds);
  }

  /** JSON text of the member `id` (at most the first 65 characters); undefined until it is complete. */
  get id(): string | undefined {
    return this.#id;
  }

  get result(): ScannedMember | undefined {
    return this.#result;
  }

  get error(): ScannedMember | undefined {
    return this.#error;
  }

  /** Findings in the scanned bytes that the caller must normalize: leading zeros of quantities, and null in place of lists. */
  get padding(): PaddingFinder {
    return this.#padding;
  }

  /** Whether the answer is complete. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /**
   * Scans a chunk from `from` to the end of the chunk or of the answer, and returns the position after the last scanned byte. Must not be called when
   * the answer is complete.
   * @throws UpstreamFault `malformed` at the first byte that cannot be part of an answer, `excessive` if a bound is exceeded
   */
  push(chunk: Buffer, from = 0): number {
    const at = this.#read(chunk, from);
    this.#bytes += at - from;
    checkShape(this.#place, this.#bytes, this.#bounds);
    return at;
  }

  #read(chunk: Buffer, from: number): number {
    const end = chunk.length;
    if (this.#captureFrom >= 0) this.#captureFrom = from;
    const place = this.#place;
    const { levels } = place;
    let at = levels.length > 1 ? this.#scanInside(chunk, from) : from;
    let { state } = place;
    /** Position in this chunk of the open string (after its quote) or number; negative if it began in an earlier chunk. */
    let tokenStart = at - place.openBytes;
    place.openBytes = 0;
    while (at < end) {
      if (state === STRING) {
        while (at + 4 <= end && areInString(chunk, at)) at += 4;
        while (at < end && IN_STRING[chunk[at] as number] === 1) at++;
        if (at === end) break;
      }
      const entry = TRANSITIONS[(state << 8) | (chunk[at] as number)] as number;
      at++;
      if (entry < BEGINS_VALUE) {
        state = entry;
        continue;
      }
      const depth = levels.length;
      if (entry < OPEN_OBJECT) {
        if (depth === 1) this.#beginMember(chunk, at - 1);
        state = entry & STATE_BITS;
        tokenStart = state === STRING ? at : at - 1;
        continue;
      }
      switch (entry) {
        case END_STRING:
          place.values++;
          this.#noteText(at - 1 - tokenStart);
          if (place.isInKey) {
            place.isInKey = false;
            if (depth === 1) this.#key = readKey(this.#endCapture(chunk, at));
            state = COLON;
          } else {
            if (depth === 1) this.#endMember(chunk, at);
            else if (levels[depth - 1] === false) this.#padding.addValue(chunk, tokenStart, at - 1);
            state = AFTER;
          }
          break;
        case BEGIN_KEY:
          place.isInKey = true;
          tokenStart = at;
          if (depth === 1) this.#captureFrom = at - 1;
          state = STRING;
          break;
        case COMMA:
          state = levels[depth - 1] === true ? VALUE : KEY;
          break;
        case OPEN_OBJECT:
        case OPEN_ARRAY:
          if (depth === 1) this.#beginMember(chunk, at - 1);
          place.values++;
          if (depth === this.#bounds.depth) throw excessive('levels');
          levels.push(entry === OPEN_ARRAY);
          state = entry === OPEN_ARRAY ? ARRAY_START : OBJECT_START;
          if (depth !== 1) break;
          place.state = state;
          at = this.#scanInside(chunk, at);
          state = place.state;
          tokenStart = at - place.openBytes;
          place.openBytes = 0;
          break;
        case CLOSE_OBJECT:
        case CLOSE_ARRAY:
          if (levels.pop() !== (entry === CLOSE_ARRAY)) throw notJson();
          if (depth === 1) {
            this.#isDone = true;
            this.#padding.end(chunk, from, at);
            return at;
          }
          if (depth === 2) this.#endMember(chunk, at);
          state = AFTER;
          break;
        case END_LITERAL:
          place.values++;
          if (depth === 1) this.#endMember(chunk, at);
          else this.#padding.noteNull();
          state = AFTER;
          break;
        case END_NUMBER:
          at--;
          place.values++;
          place.longestNumber = Math.max(place.longestNumber, at - tokenStart);
          if (depth === 1) this.#endMember(chunk, at);
          state = AFTER;
          break;
        default:
          throw notJson();
      }
    }
    place.state = state;
    this.#cutToken(state, end - tokenStart);
    if (this.#captureFrom >= 0) this.#captured = this.#readCaptured(chunk, end);
    this.#padding.endChunk(chunk, from, place);
    this.#base += end;
    return at;
  }

  /** Handles the end of the chunk, at which a string or number with `bytes` bytes so far may be incomplete. */
  #cutToken(state: number, bytes: number): void {
    const place = this.#place;
    const isNumber = isNumberState(state);
    const isText = isStringState(state);
    place.openBytes = isNumber || isText ? bytes : 0;
    if (isNumber) place.longestNumber = Math.max(place.longestNumber, bytes);
    if (isText) this.#noteText(bytes);
  }

  #noteText(bytes: number): void {
    const place = this.#place;
    if (place.isInKey) place.longestName = Math.max(place.longestName, bytes);
    else place.longestText = Math.max(place.longestText, bytes);
  }

  /**
   * Scans the inside of a member's value in WebAssembly, because it contains no relevant members.
   * @returns the position of the first byte that this class must scan itself
   */
  #scanInside(chunk: Buffer, from: number): number {
    return chunk.length - from < LEAST_SCANNED ? from : scanInside(chunk, from, this.#place, this.#padding);
  }

  #beginMember(chunk: Buffer, at: number): void {
    const start = this.#base + at;
    const isNull = chunk[at] === LETTER_N;
    switch (this.#key) {
      case 'id':
        if (this.#id !== undefined) throw duplicate();
        this.#captureFrom = at;
        break;
      case 'result':
        if (this.#result !== undefined) throw duplicate();
        this.#result = { start, end: undefined, isNull, values: this.#place.values };
        break;
      case 'error':
        if (this.#error !== undefined) throw duplicate();
        this.#error = { start, end: undefined, isNull, values: this.#place.values };
        break;
    }
  }

  #endMember(chunk: Buffer, at: number): void {
    const end = this.#base + at;
    switch (this.#key) {
      case 'id':
        this.#id = this.#endCapture(chunk, at);
        break;
      case 'result':
        this.#result = endOf(this.#result as ScannedMember, end, this.#place.values);
        break;
      case 'error':
        this.#error = endOf(this.#error as ScannedMember, end, this.#place.values);
        break;
    }
  }

  #endCapture(chunk: Buffer, at: number): string {
    const text = this.#readCaptured(chunk, at);
    this.#captureFrom = -1;
    this.#captured = '';
    return text;
  }

  /** Up to `MAX_CAPTURED` + 1 characters are captured, so that a shortened text is never equal to a relevant key or id. */
  #readCaptured(chunk: Buffer, to: number): string {
    const room = MAX_CAPTURED + 1 - this.#captured.length;
    const from = this.#captureFrom;
    return this.#captured + chunk.toString('latin1', from, Math.min(to, from + room));
  }
}

/** Whether four bytes are all complete characters inside of a string; testing four at once halves the cost. */
function areInString(chunk: Buffer, at: number): boolean {
  const first = (IN_STRING[chunk[at] as number] as number) & (IN_STRING[chunk[at + 1] as number] as number);
  const second =
    (IN_STRING[chunk[at + 2] as number] as number) & (IN_STRING[chunk[at + 3] as number] as number);
  return (first & second) === 1;
}

/** Returns the name that the JSON text of a key encodes, or the text itself if it is too long for a relevant name. */
function readKey(text: string): string {
  if (text.length > MAX_CAPTURED) return text;
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
}

/** Returns the member with its end. `values` becomes the number of values inside of the member. */
function endOf(member: ScannedMember, end: number, values: number): ScannedMember {
  return { ...member, end, values: values - member.values };
}

function notJson(): UpstreamFault {
  return new UpstreamFault('malformed', 'the answer is not JSON');
}

function duplicate(): UpstreamFault {
  return new UpstreamFault('malformed', 'the answer has a member twice');
}
