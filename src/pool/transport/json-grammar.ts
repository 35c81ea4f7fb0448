/**
 * The grammar of JSON (RFC 8259) over UTF-8 (RFC 3629) as a table by state and byte. An entry is the next state, or `BEGINS_VALUE` plus the first
 * state inside a number, a string or a literal, or an action. Nesting is not part of the table; the scanner tracks it on a stack.
 */

/** State before the response, which must be an object. */
export const START = 0;
export const VALUE = 1;
/** State after `[`: a value or `]` may follow. */
export const ARRAY_START = 2;
/** State after `{`: a key or `}` may follow. */
export const OBJECT_START = 3;
/** State after a comma in an object. */
export const KEY = 4;
/** State after a key. */
export const COLON = 5;
/** State after a value. */
export const AFTER = 6;
export const STRING = 7;
const ESCAPE = 8;
/** First of four states inside `\u`, in which 4 to 1 hexadecimal digits are missing. */
const UNICODE = 9;
const MINUS = 13;
const ZERO = 14;
const INTEGER = 15;
const POINT = 16;
const FRACTION = 17;
const EXPONENT = 18;
const EXPONENT_SIGN = 19;
const EXPONENT_DIGITS = 20;
/** First of the states inside the literals `true`, `false` and `null`. */
const LITERALS = 21;
/** First of the three states of `null`: after its first, second and third letter. */
export const NULL_STATES = 28;
/** State in which one continuation byte of a UTF-8 character is missing; in the next two states, two and three bytes are missing. */
export const CONTINUATION_1 = 31;
const CONTINUATION_2 = 32;
const CONTINUATION_3 = 33;
/**
 * State after the first byte E0. After E0, ED, F0 and F4, the second byte is restricted: no overlong forms, no surrogates, nothing above U+10FFFF.
 */
const AFTER_E0 = 34;
const AFTER_ED = 35;
const AFTER_F0 = 36;
const AFTER_F4 = 37;
const STATES = 38;

/** Whether a state is inside of a number. */
export function isNumberState(state: number): boolean {
  return state >= MINUS && state <= EXPONENT_DIGITS;
}

/** Whether a state is inside of a string. */
export function isStringState(state: number): boolean {
  return state >= STRING && (state < MINUS || state >= CONTINUATION_1);
}

/** Flag of an entry: the byte is the first byte of a value, and the lower bits contain the state. */
export const BEGINS_VALUE = 0x40;
export const STATE_BITS = 0x3f;

export const OPEN_OBJECT = 0x80;
export const OPEN_ARRAY = 0x81;
export const CLOSE_OBJECT = 0x82;
export const CLOSE_ARRAY = 0x83;
export const COMMA = 0x84;
export const BEGIN_KEY = 0x85;
export const END_STRING = 0x86;
export const END_LITERAL = 0x87;
/** Action: the number ended before this byte. The byte after a number must be read again, in the state after the number. */
export const END_NUMBER = 0x88;
const ILLEGAL = 0x89;

const SPACES = ' \t\n\r';
const DIGITS = '0123456789';

/** Table of transitions: the entry for a state and a byte is `TRANSITIONS[(state << 8) | byte]`. */
export const TRANSITIONS: Uint8Array = buildTransitions();

function buildTransitions(): Uint8Array {
  const table = new Uint8Array(STATES << 8).fill(ILLEGAL);
  const setRange = (state: number, first: number, last: number, entry: number): void => {
    table.fill(entry, (state << 8) | first, ((state << 8) | last) + 1);
  };
  const set = (state: number, characters: string, entry: number): void => {
    for (const character of characters) table[(state << 8) | character.charCodeAt(0)] = entry;
  };

  for (const state of [START, VALUE, OBJECT_START, ARRAY_START, KEY, COLON, AFTER]) set(state, SPACES, state);
  set(START, '{', OPEN_OBJECT);
  set(OBJECT_START, '"', BEGIN_KEY);
  set(OBJECT_START, '}', CLOSE_OBJECT);
  set(ARRAY_START, ']', CLOSE_ARRAY);
  set(KEY, '"', BEGIN_KEY);
  set(COLON, ':', VALUE);
  set(AFTER, ',', COMMA);
  set(AFTER, '}', CLOSE_OBJECT);
  set(AFTER, ']', CLOSE_ARRAY);

  for (const state of [VALUE, ARRAY_START]) {
    set(state, '{', OPEN_OBJECT);
    set(state, '[', OPEN_ARRAY);
    set(state, '"', BEGINS_VALUE | STRING);
    set(state, '-', BEGINS_VALUE | MINUS);
    set(state, '0', BEGINS_VALUE | ZERO);
    set(state, '123456789', BEGINS_VALUE | INTEGER);
  }

  set(MINUS, '0', ZERO);
  set(MINUS, '123456789', INTEGER);
  set(INTEGER, DIGITS, INTEGER);
  set(POINT, DIGITS, FRACTION);
  set(FRACTION, DIGITS, FRACTION);
  set(EXPONENT, '+-', EXPONENT_SIGN);
  for (const state of [EXPONENT, EXPONENT_SIGN, EXPONENT_DIGITS]) set(state, DIGITS, EXPONENT_DIGITS);
  for (const state of [ZERO, INTEGER]) set(state, '.', POINT);
  for (const state of [ZERO, INTEGER, FRACTION]) set(state, 'eE', EXPONENT);
  for (const state of [ZERO, INTEGER, FRACTION, EXPONENT_DIGITS]) set(state, `${SPACES},]}`, END_NUMBER);

  let literalState = LITERALS;
  for (const literal of ['true', 'false', 'null']) {
    for (const state of [VALUE, ARRAY_START]) set(state, literal.charAt(0), BEGINS_VALUE | literalState);
    for (let at = 1; at < literal.length; at++, literalState++) {
      set(literalState, literal.charAt(at), at === literal.length - 1 ? END_LITERAL : literalState + 1);
    }
  }

  setRange(STRING, 0x20, 0x7f, STRING);
  set(STRING, '"', END_STRING);
  set(STRING, '\\', ESCAPE);
  set(ESCAPE, '"\\/bfnrt', STRING);
  set(ESCAPE, 'u', UNICODE);
  for (let digit = 0; digit < 4; digit++) {
    set(UNICODE + digit, `${DIGITS}abcdefABCDEF`, digit === 3 ? STRING : UNICODE + digit + 1);
  }

  setRange(STRING, 0xc2, 0xdf, CONTINUATION_1);
  setRange(STRING, 0xe1, 0xef, CONTINUATION_2);
  setRange(STRING, 0xf1, 0xf3, CONTINUATION_3);
  setRange(STRING, 0xe0, 0xe0, AFTER_E0);
  setRange(STRING, 0xed, 0xed, AFTER_ED);
  setRange(STRING, 0xf0, 0xf0, AFTER_F0);
  setRange(STRING, 0xf4, 0xf4, AFTER_F4);
  setRange(AFTER_E0, 0xa0, 0xbf, CONTINUATION_1);
  setRange(AFTER_ED, 0x80, 0x9f, CONTINUATION_1);
  setRange(AFTER_F0, 0x90, 0xbf, CONTINUATION_2);
  setRange(AFTER_F4, 0x80, 0x8f, CONTINUATION_2);
  setRange(CONTINUATION_1, 0x80, 0xbf, STRING);
  setRange(CONTINUATION_2, 0x80, 0xbf, CONTINUATION_1);
  setRange(CONTINUATION_3, 0x80, 0xbf, CONTINUATION_2);
  return table;
}
