/**
 * A WebAssembly module with BLAKE2b's compression (RFC 7693, section 3.2) and nothing else: a 64-bit rotation is one
 * instruction there and a dozen in JavaScript, and a contract may ask for as many rounds as it has gas.
 *
 * It exports `memory`, laid out as below, and three functions, to be called in turn: `start(final: i32)`, where final is 0 or -1,
 * fills the working vector; `mix(rounds: i32, row: i32)` mixes it, from that row of the schedule on, in as many calls as wanted;
 * `end()` makes the next state of it.
 */

/** Addresses in the module's memory: what a caller gives and takes... */
export const STATE = 0;
export const MESSAGE = 64;
export const OFFSET = 192;
/** ...and what it has to copy there, `TABLES`, before the first compression: initial values, then the schedule. */
export const TABLES_ADDRESS = 208;
const INITIAL_VALUES: number = TABLES_ADDRESS;
/** Rows of the schedule, ten of them. */
export const SCHEDULE: number = INITIAL_VALUES + 64;

const INITIAL_WORDS = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
];
/** Which words of the message each of ten rounds takes, in hexadecimal digits. */
const SCHEDULE_ROWS = [
  '0123456789abcdef',
  'ea489fd61c02b753',
  'b8c052fdae367194',
  '7931dcbe265a40f8',
  '905724afe1bc683d',
  '2c6a0b834d75fe19',
  'c51fed4a0763928b',
  'db7ec13950f4862a',
  '6fe9b308c2d714a5',
  'a2847615fb9e3cd0',
];
export const ROW_BYTES = 16;
export const SCHEDULE_END: number = SCHEDULE + SCHEDULE_ROWS.length * ROW_BYTES;
/** The working vector between two calls. */
export const VECTOR: number = 448;
export const VECTOR_BYTES = 128;

/** For each of a round's eight mixings: the four words of the working vector that it mixes. */
const MIXINGS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;

/** The schedule holds addresses relative to the message, to spare a multiplication. */
function encodeTables(): Uint8Array {
  const tables = new Uint8Array(64 + SCHEDULE_ROWS.length * ROW_BYTES);
  const view = new DataView(tables.buffer);
  for (const [i, word] of INITIAL_WORDS.entries()) view.setBigUint64(8 * i, word, true);
  tables.set(
    [...SCHEDULE_ROWS.join('')].map((digit) => 8 * Number.parseInt(digit, 16)),
    64,
  );
  return tables;
}

export const TABLES: Uint8Array = encodeTables();

/** Unsigned LEB128. */
function encodeInteger(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...encodeInteger(value >> 7)];
}

/** LEB128 of constants, which are signed: bit 6 of the last byte is the sign. */
function encodeSigned(value: number): number[] {
  return value < 64 ? [value] : [(value & 127) | 128, ...encodeSigned(value >> 7)];
}

const I32 = 0x7f;
const I64 = 0x7e;
const END = 0x0b;

/** Parameters of `mix`: the second one is the address of the schedule's row. */
const ROUNDS = 0;
const ROW = 1;
/** Its locals: the working vector's words. */
const WORDS = 2;
/** Parameter of `start`. */
const FINAL = 0;

const get = (local: number): number[] => [0x20, local];
const set = (local: number): number[] => [0x21, local];
const pushConstant = (value: number): number[] => [0x41, ...encodeSigned(value)];
const loadWord = (offset: number): number[] => [0x29, 3, ...encodeInteger(offset)];
const storeWord = (offset: number): number[] => [0x37, 3, ...encodeInteger(offset)];
const loadByte = (offset: number): number[] => [0x2d, 0, ...encodeInteger(offset)];
const ADD = [0x7c];
const XOR = [0x85];
const rotateRight = (bits: number): number[] => [0x42, bits, 0x8a];

/** `to = rotateRight(to ^ from, bits)` */
function mixIn(to: number, from: number, bits: number): number[] {
  return [...get(to), ...get(from), ...XOR, ...rotateRight(bits), ...set(to)];
}

/** `to += from` */
function addTo(to: number, from: number): number[] {
  return [...get(to), ...get(from), ...ADD, ...set(to)];
}

/** Adds the message's word that stands at `place` of the row. */
function addMessage(to: number, place: number): number[] {
  return [...get(ROW), ...loadByte(place), ...loadWord(MESSAGE), ...get(to), ...ADD, ...set(to)];
}

function encodeMixing(index: number): number[] {
  const [a, b, c, d] = (MIXINGS[index] as (typeof MIXINGS)[number]).map((word) => WORDS + word) as [
    number,
    number,
    number,
    number,
  ];
  return [
    ...[...addTo(a, b), ...addMessage(a, 2 * index), ...mixIn(d, a, 32), ...addTo(c, d), ...mixIn(b, c, 24)],
    ...[
      ...addTo(a, b),
      ...addMessage(a, 2 * index + 1),
      ...mixIn(d, a, 16),
      ...addTo(c, d),
      ...mixIn(b, c, 63),
    ],
  ];
}

const EIGHT = [0, 1, 2, 3, 4, 5, 6, 7];
/** `memory[to] = word` for the word that an expression pushes. */
const put = (to: number, ...word: readonly number[][]): number[] => [
  ...pushConstant(0),
  ...word.flat(),
  ...storeWord(to),
];
const fetch = (from: number): number[] => [...pushConstant(0), ...loadWord(from)];

/** State and initial values side by side; offset and finality are mixed into the latter. */
function encodeStart(): number[] {
  return [
    ...EIGHT.flatMap((i) => put(VECTOR + 8 * i, fetch(STATE + 8 * i))),
    ...EIGHT.flatMap((i) => {
      const initial = fetch(INITIAL_VALUES + 8 * i);
      if (i === 4 || i === 5) return put(VECTOR + 64 + 8 * i, initial, fetch(OFFSET + 8 * (i - 4)), XOR);
      // i64.extend_i32_s
      if (i === 6) return put(VECTOR + 64 + 8 * i, initial, [...get(FINAL), 0xac], XOR);
      return put(VECTOR + 64 + 8 * i, initial);
    }),
  ];
}

const SIXTEEN: readonly number[] = [...EIGHT, ...EIGHT.map((i) => i + 8)];

function encodeMix(): number[] {
  return [
    ...SIXTEEN.flatMap((i) => [...fetch(VECTOR + 8 * i), ...set(WORDS + i)]),
    ...encodeLoop(),
    ...SIXTEEN.flatMap((i) => put(VECTOR + 8 * i, get(WORDS + i))),
  ];
}

/** One round each turn, until none is left. */
function encodeLoop(): number[] {
  return [
    ...[0x02, 0x40, 0x03, 0x40],
    // Leave if rounds = 0 (i32.eqz, br_if 1); rounds -= 1.
    ...[...get(ROUNDS), 0x45, 0x0d, 1, ...get(ROUNDS), ...pushConstant(1), 0x6b, ...set(ROUNDS)],
    ...MIXINGS.flatMap((_, index) => encodeMixing(index)),
    // Next row, after the last one the first: row += 16; repeat if row < end; row = start; repeat.
    ...[...get(ROW), ...pushConstant(ROW_BYTES), 0x6a, 0x22, ROW],
    ...[...pushConstant(SCHEDULE_END), 0x49, 0x0d, 0],
    ...[...pushConstant(SCHEDULE), ...set(ROW), 0x0c, 0],
    ...[END, END],
  ];
}

function encodeEnd(): number[] {
  return EIGHT.flatMap((i) =>
    put(STATE + 8 * i, fetch(STATE + 8 * i), fetch(VECTOR + 8 * i), XOR, fetch(VECTOR + 64 + 8 * i), XOR),
  );
}

function encodeSection(id: number, content: readonly number[]): number[] {
  return [id, ...encodeInteger(content.length), ...content];
}

function encodeName(name: string): number[] {
  return [name.length, ...[...name].map((character) => character.charCodeAt(0))];
}

function encodeBody(locals: readonly number[], code: readonly number[]): number[] {
  const body = [...locals, ...code, END];
  return [...encodeInteger(body.length), ...body];
}

/** The module's bytes. */
export function encodeBlake2bModule(): Uint8Array {
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...encodeSection(1, [3, 0x60, 1, I32, 0, 0x60, 2, I32, I32, 0, 0x60, 0, 0]),
    ...encodeSection(3, [3, 0, 1, 2]),
    ...encodeSection(5, [1, 0, 1]),
    ...encodeSection(7, [
      4,
      ...[...encodeName('memory'), 2, 0],
      ...[...encodeName('start'), 0, 0],
      ...[...encodeName('mix'), 0, 1],
      ...[...encodeName('end'), 0, 2],
    ]),
    ...encodeSection(10, [
      3,
      ...encodeBody([0], encodeStart()),
      ...encodeBody([1, 16, I64], encodeMix()),
      ...encodeBody([0], encodeEnd()),
    ]),
  ]);
}
