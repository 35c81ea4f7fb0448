import { type Characters, cutCharacters, toCharacters } from './utf8-text.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const LETTER_U = 0x75;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Values parsed between two pauses, in a fraction of a millisecond. */
const VALUES_PER_SLICE = 256;
/** Characters read between two pauses in long values and in white space. */
const LENGTH_PER_SLICE = 64 * 1024;

/** Characters of an escape such as `\u0061`. */
const ESCAPE_LENGTH = 6;

/** Minimum number of members of a large object, whose names are slow to list. */
const MANY_MEMBERS = 1_000;
/** Number of members by large object; a name that occurs twice counts twice. */
const LARGE_OBJECTS = new WeakMap<object, number>();

/** By root value: whether an object inside the value repeats a name. */
const REPEATS = new WeakMap<object, boolean>();

/** Whether any object in a parsed value repeats a member name; undefined unless `parseInSlices` returned this value. */
export function findRepeats(value: object): boolean | undefined {
  return REPEATS.get(value);
}

/** Whether the object was parsed by `parseInSlices` and has too many members to list. */
export function hasManyMembers(object: object): boolean {
  return LARGE_OBJECTS.has(object);
}

/** Number of members of a large object that `parseInSlices` parsed, without creating a list of the names; 0 for any other object. */
export function countManyMembers(object: object): number {
  return LARGE_OBJECTS.get(object) ?? 0;
}

/**
 * Heap bytes per value in V8 without pointer compression, measured with `process.memoryUsage()` over 40,000 values. After its first item, a list has
 * room for 17 items. A member takes 11 bytes if many objects have the same names, and 98 bytes if all names differ. The estimate of 48 bytes per
 * member is at least about half the actual size, even for hostile texts.
 */
const LIST_BYTES = 192;
const OBJECT_BYTES = 64;
const MEMBER_BYTES = 48;
const SCALAR_BYTES = 16;
const STRING_BYTES = 24;
/**
 * Heap bytes of a member whose name is an array index. V8 stores members with index names in a list with room for all lower indices: 11 kB for
 * `{"900":0}`.
 */
const INDEX_BYTES = 12 * 1024;
/** Maximum digits of an array index; the largest is `4294967294`. */
const INDEX_LENGTH = 10;

/** Error: an object has too many members, or a list too many items. */
export class TooManyMembers extends Error {
  override readonly name = 'TooManyMembers';
  /** Kind of members or items that exceed their limit, in words. */
  readonly what: string;

  constructor(what: string) {
    super(`too many ${what}`);
    this.what = what;
  }
}

/** Bounds on the result of parsing. */
export type ParseBounds = {
  /** Maximum members per object. */
  readonly members?: number;
  /** Maximum items per list. A growing list is copied as a whole, without a pause. */
  readonly items?: number;
  /** Called before each pause and at the end with the approximate heap bytes of the values since the last call. An exception ends the parsing. */
  readonly onHeap?: (bytes: number) => void;
};

/** Open container. */
type Frame =
  | { readonly list: unknown[] }
  | { readonly list?: undefined; readonly object: Record<string, unknown>; key: string; members: number };

/**
 * Parses like `JSON.parse`, but with pauses, for texts that would block too long, such as objects with many members. Parsing with pauses takes two to
 * three times as long as `JSON.parse`. The nesting depth is not bounded.
 * @param json text, or valid UTF-8 bytes
 * @throws SyntaxError if the text is not JSON
 * @throws TooManyMembers if a bound is exceeded
 * @throws whatever `bounds.onHeap` throws
 */
export function* parseInSlices(
  json: string | Uint8Array,
  bounds: ParseBounds = {},
): Generator<undefined, unknown> {
  const text = toCharacters(json);
  const frames: Frame[] = [];
  /** Heap bytes not yet reported to `onHeap`. */
  let heap = 0;
  let hasRepeats = false;
  let at = skipBlanks(text, 0);
  let sliceStart = 0;
  for (let count = 1; ; count++) {
    if (count % VALUES_PER_SLICE === 0 || at - sliceStart > LENGTH_PER_SLICE) {
      sliceStart = at;
      bounds.onHeap?.(heap);
      heap = 0;
      yield;
    }
    let value: unknown;
    const first = text.charCodeAt(at);
    if (first === OPEN_LIST || first === OPEN_OBJECT) {
      const frame: Frame = first === OPEN_LIST ? { list: [] } : { object: {}, key: '', members: 0 };
      at = skipBlanks(text, at + 1);
      heap += frame.list === undefined ? OBJECT_BYTES : LIST_BYTES;
      if (text.charCodeAt(at) !== closingOf(frame)) {
        if (frame.list === undefined) {
          at = readKey(frame, text, at);
          heap += weighMember(frame.key);
        }
        frames.push(frame);
        continue;
      }
      value = frame.list ?? frame.object;
      at++;
    } else if (first === QUOTE && isLongString(text, at)) {
      const string = yield* readLongString(text, at);
      value = string.value;
      heap += STRING_BYTES + string.value.length;
      at = string.end;
      sliceStart = at;
    } else {
      const end = findScalarEnd(text, at);
      value = parseScalar(text, at, end);
      heap += first === QUOTE ? STRING_BYTES + (end - at) : SCALAR_BYTES;
      at = end;
    }
    // Closes every container that this value completes.
    for (let isOver = false; !isOver; ) {
      at = skipBlanks(text, at);
      const frame = frames.at(-1);
      if (frame === undefined) {
        if (at < text.length) throw unexpected(text, at);
        bounds.onHeap?.(heap);
        if (typeof value === 'object' && value !== null) REPEATS.set(value, hasRepeats);
        return value;
      }
      hasRepeats = put(frame, value, bounds) || hasRepeats;
      const next = text.charCodeAt(at);
      if (next === COMMA) {
        at = skipBlanks(text, at + 1);
        if (frame.list === undefined) {
          at = readKey(frame, text, at);
          heap += weighMember(frame.key);
        }
        isOver = true;
      } else if (next === closingOf(frame)) {
        frames.pop();
        value = close(frame);
        at++;
      } else throw unexpected(text, at);
    }
  }
}

function closingOf(frame: Frame): number {
  return frame.list === undefined ? CLOSE_OBJECT : CLOSE_LIST;
}

function weighMember(name: string): number {
  const isIndex =
    name.length <= INDEX_LENGTH && isDigit(name.charCodeAt(0)) && isDigit(name.charCodeAt(name.length - 1));
  return isIndex ? INDEX_BYTES : MEMBER_BYTES;
}

function isDigit(unit: number): boolean {
  return unit >= DIGIT_0 && unit <= DIGIT_9;
}

/** Adds a value to an open container. @returns whether the value replaces an earlier value of its name */
function put(
  frame: Frame,
  value: unknown,
  { members = Number.POSITIVE_INFINITY, items = Number.POSITIVE_INFINITY }: ParseBounds,
): boolean {
  if (frame.list !== undefined) {
    if (frame.list.push(value) > items) throw new TooManyMembers('items of a list');
    return false;
  }
  if (++frame.members > members) throw new TooManyMembers('members of an object');
  const isRepeated = Object.hasOwn(frame.object, frame.key);
  setMember(frame.object, frame.key, value);
  return isRepeated;
}

/** Returns the value of a completed container. */
function close(frame: Frame): unknown {
  if (frame.list !== undefined) return frame.list;
  if (frame.members >= MANY_MEMBERS) LARGE_OBJECTS.set(frame.object, frame.members);
  return frame.object;
}

/** Defines an own member of any name, `__proto__` included. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/** @returns start of the member's value */
function readKey(frame: { key: string }, text: Characters, at: number): number {
  if (text.charCodeAt(at) !== QUOTE) throw unexpected(text, at);
  const end = findStringEnd(text, at);
  frame.key = parseScalar(text, at, end) as string;
  const colon = skipBlanks(text, end);
  if (text.charCodeAt(colon) !== COLON) throw unexpected(text, colon);
  return skipBlanks(text, colon + 1);
}

/** Parses a short string, a number or a literal with `JSON.parse`. */
function parseScalar(text: Characters, at: number, end: number): unknown {
  try {
    return JSON.parse(text.slice(at, end));
  } catch {
    throw unexpected(text, at);
  }
}

function findScalarEnd(text: Characters, at: number): number {
  if (text.charCodeAt(at) === QUOTE) return findStringEnd(text, at);
  let end = at;
  while (end < text.length && !isDelimiter(text.charCodeAt(end))) end++;
  return end;
}

/** Whether a string is longer than `LENGTH_PER_SLICE`. */
function isLongString(text: Characters, open: number): boolean {
  const quote = text.indexOf('"', open + 1);
  if (quote < 0 || quote - open > LENGTH_PER_SLICE) return true;
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return false;
  const last = open + LENGTH_PER_SLICE;
  for (let at = open + 1; at <= last; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return false;
    if (unit === BACKSLASH) at++;
  }
  return true;
}

/** Reads a string and its end, with a pause after each slice. */
function* readLongString(
  text: Characters,
  open: number,
): Generator<undefined, { readonly value: string; readonly end: number }> {
  let value = '';
  for (let at = open + 1; at < text.length; ) {
    const piece = cutCharacters(text, at, LENGTH_PER_SLICE);
    const isLast = at + piece.length === text.length;
    const length = findPieceEnd(piece, isLast);
    if (length === 0) break;
    value += parseScalar(`"${piece.slice(0, length)}"`, 0, length + 2) as string;
    at += length;
    if (text.charCodeAt(at) === QUOTE) return { value, end: at + 1 };
    yield;
  }
  throw unexpected(text, text.length);
}

/**
 * Finds the end of a string, if this piece of text contains it. If it does not, returns the end of the piece, or the start of an escape that
 * continues in the next piece.
 */
function findPieceEnd(piece: Characters, isLast: boolean): number {
  if (piece.indexOf('\\') < 0) {
    const quote = piece.indexOf('"');
    return quote < 0 ? piece.length : quote;
  }
  let at = 0;
  while (at < piece.length) {
    const unit = piece.charCodeAt(at);
    if (unit === QUOTE) return at;
    const length = unit !== BACKSLASH ? 1 : piece.charCodeAt(at + 1) === LETTER_U ? ESCAPE_LENGTH : 2;
    if (at + length > piece.length && !isLast) return at;
    at += length;
  }
  return piece.length;
}

/** Position behind the closing quote; length of the text if there is none. */
function findStringEnd(text: Characters, open: number): number {
  const quote = text.indexOf('"', open + 1);
  if (quote < 0) return text.length;
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
  for (let at = open + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at + 1;
    if (unit === BACKSLASH) at++;
  }
  return text.length;
}

function isDelimiter(unit: number): boolean {
  return unit === COMMA || unit === CLOSE_LIST || unit === CLOSE_OBJECT || isBlank(unit);
}

function skipBlanks(text: Characters, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

/** Returns an error with a message similar to a message of `JSON.parse`. */
function unexpected(text: Characters, at: number): SyntaxError {
  return new SyntaxError(
    at < text.length ? `unexpected token at position ${at}` : 'unexpected end of JSON input',
  );
}
