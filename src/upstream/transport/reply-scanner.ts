import { UpstreamFault } from '../fault.ts';
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

/** Levels of lists and objects in one answer; a call trace is the deepest thing that nodes send. */
export const MAX_DEPTH = 512;
/** Characters of a key or an id that are looked at: `result` written in `\u` escapes has 38 with its quotes. */
const MAX_CAPTURED = 64;
/** 1 for each byte that is a character of a string by itself. */
const IN_STRING = TRANSITIONS.slice(STRING << 8, (STRING + 1) << 8).map((entry) =>
  entry === STRING ? 1 : 0,
);
const LETTER_N = 0x6e;

/** Where a member of the answer is: positions count from the first byte of the first chunk. */
export type Member = {
  readonly start: number;
  /** Just behind its last byte; undefined while the value has not ended. */
  readonly end: number | undefined;
  readonly isNull: boolean;
};

/**
 * Reads one JSON-RPC answer, an object, as its bytes come in: checks that they are JSON in UTF-8 to the last byte
 * and finds the members that matter, in any order. It copies nothing; the caller keeps the chunks.
 */
export class ReplyScanner {
  readonly #place: JsonPlace = { state: START, isInKey: false, levels: [] };
  #isDone = false;
  /** Position of the current chunk's first byte. */
  #base = 0;
  /** Where in the current chunk the key or the id began that is wanted as text; -1 when none is. */
  #captureFrom = -1;
  /** What of it was in earlier chunks. */
  #captured = '';
  #key = '';
  #id: string | undefined;
  #result: Member | undefined;
  #error: Member | undefined;

  /** Text of the member `id` as it was written (at most the first 65 characters), once it is complete. */
  get id(): string | undefined {
    return this.#id;
  }

  get result(): Member | undefined {
    return this.#result;
  }

  get error(): Member | undefined {
    return this.#error;
  }

  /** Whether the object is complete. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /**
   * Reads a chunk from `from` to its end or the end of the object, whichever comes first, and says where it stopped.
   * Not to be called any more when the object is done.
   * @throws UpstreamFault `malformed` at the first byte that cannot be part of an answer
   */
  push(chunk: Buffer, from = 0): number {
    const end = chunk.length;
    if (this.#captureFrom >= 0) this.#captureFrom = from;
    const place = this.#place;
    const { levels } = place;
    let at = levels.length > 1 ? this.#scanInside(chunk, from) : from;
    let { state } = place;
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
        continue;
      }
      switch (entry) {
        case END_STRING:
          if (place.isInKey) {
            place.isInKey = false;
            if (depth === 1) this.#key = readKey(this.#endCapture(chunk, at));
            state = COLON;
          } else {
            if (depth === 1) this.#endMember(chunk, at);
            state = AFTER;
          }
          break;
        case BEGIN_KEY:
          place.isInKey = true;
          if (depth === 1) this.#captureFrom = at - 1;
          state = STRING;
          break;
        case COMMA:
          state = levels[depth - 1] === true ? VALUE : KEY;
          break;
        case OPEN_OBJECT:
        case OPEN_ARRAY:
          if (depth === 1) this.#beginMember(chunk, at - 1);
          if (depth === MAX_DEPTH) throw new UpstreamFault('malformed', 'the answer is nested too deeply');
          levels.push(entry === OPEN_ARRAY);
          state = entry === OPEN_ARRAY ? ARRAY_START : OBJECT_START;
          if (depth !== 1) break;
          place.state = state;
          at = this.#scanInside(chunk, at);
          state = place.state;
          break;
        case CLOSE_OBJECT:
        case CLOSE_ARRAY:
          if (levels.pop() !== (entry === CLOSE_ARRAY)) throw notJson();
          if (depth === 1) {
            this.#isDone = true;
            return at;
          }
          if (depth === 2) this.#endMember(chunk, at);
          state = AFTER;
          break;
        case END_LITERAL:
          if (depth === 1) this.#endMember(chunk, at);
          state = AFTER;
          break;
        case END_NUMBER:
          at--;
          if (depth === 1) this.#endMember(chunk, at);
          state = AFTER;
          break;
        default:
          throw notJson();
      }
    }
    place.state = state;
    if (this.#captureFrom >= 0) this.#captured = this.#readCaptured(chunk, end);
    this.#base += end;
    return at;
  }

  /** Inside of a member's value there is nothing to be found. @returns where the first byte is that has to be looked at here */
  #scanInside(chunk: Buffer, from: number): number {
    return chunk.length - from < LEAST_SCANNED ? from : scanInside(chunk, from, this.#place);
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
        this.#result = { start, end: undefined, isNull };
        break;
      case 'error':
        if (this.#error !== undefined) throw duplicate();
        this.#error = { start, end: undefined, isNull };
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
        this.#result = { ...(this.#result as Member), end };
        break;
      case 'error':
        this.#error = { ...(this.#error as Member), end };
        break;
    }
  }

  #endCapture(chunk: Buffer, at: number): string {
    const text = this.#readCaptured(chunk, at);
    this.#captureFrom = -1;
    this.#captured = '';
    return text;
  }

  /** One character more than is looked at, so that a longer text equals none that is. */
  #readCaptured(chunk: Buffer, to: number): string {
    const room = MAX_CAPTURED + 1 - this.#captured.length;
    const from = this.#captureFrom;
    return this.#captured + chunk.toString('latin1', from, Math.min(to, from + room));
  }
}

/** Whether four bytes are; all are looked at together, which costs half as much as one by one. */
function areInString(chunk: Buffer, at: number): boolean {
  const first = (IN_STRING[chunk[at] as number] as number) & (IN_STRING[chunk[at + 1] as number] as number);
  const second =
    (IN_STRING[chunk[at + 2] as number] as number) & (IN_STRING[chunk[at + 3] as number] as number);
  return (first & second) === 1;
}

/** Name that a key's text stands for; the text itself where it is too long to matter. */
function readKey(text: string): string {
  if (text.length > MAX_CAPTURED) return text;
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
}

function notJson(): UpstreamFault {
  return new UpstreamFault('malformed', 'the answer is not JSON');
}

function duplicate(): UpstreamFault {
  return new UpstreamFault('malformed', 'the answer has a member twice');
}
