/**
 * BLAKE2b compression function (RFC 7693, section 3.2). A 64-bit rotation is one instruction in WebAssembly and a dozen in JavaScript, and a contract
 * can request one round per gas. `start` fills the working vector, `mix` runs rounds and can be called repeatedly, and `end` computes the next state.
 */

/** Inputs from the host: state (64 bytes, also the output), message (128), offset (16). */
export const STATE: usize = memory.data(64, 16);
export const MESSAGE: usize = memory.data(128, 16);
export const OFFSET: usize = memory.data(16, 16);
/** Working vector, preserved between two calls of `mix`. */
export const VECTOR: usize = memory.data(128, 16);

const INITIAL_VALUES: usize = memory.data<u64>([
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
]);
/** Byte offsets of the 16 message words, in the order of their use in each of the ten rounds. */
const SCHEDULE: usize = memory.data<u8>([
  0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120,
  112, 80, 32, 64, 72, 120, 104, 48, 8, 96, 0, 16, 88, 56, 40, 24,
  88, 64, 96, 0, 40, 16, 120, 104, 80, 112, 24, 48, 56, 8, 72, 32,
  56, 72, 24, 8, 104, 96, 88, 112, 16, 48, 40, 80, 32, 0, 120, 64,
  72, 0, 40, 56, 16, 32, 80, 120, 112, 8, 88, 96, 48, 64, 24, 104,
  16, 96, 48, 80, 0, 88, 64, 24, 32, 104, 56, 40, 120, 112, 8, 72,
  96, 40, 8, 120, 112, 104, 32, 80, 0, 56, 48, 24, 72, 16, 64, 88,
  104, 88, 56, 112, 96, 8, 24, 72, 40, 0, 120, 32, 64, 48, 16, 80,
  48, 120, 112, 72, 88, 24, 0, 64, 96, 16, 104, 56, 8, 32, 80, 40,
  80, 16, 64, 32, 56, 48, 8, 40, 120, 88, 72, 112, 24, 96, 104, 0,
]);
const ROUNDS: u32 = 10;
const ROW: usize = 16;

/** Starts a compression. */
export function start(isFinal: bool): void {
  memory.copy(VECTOR, STATE, 64);
  memory.copy(VECTOR + 64, INITIAL_VALUES, 64);
  store<u64>(VECTOR, load<u64>(VECTOR, 96) ^ load<u64>(OFFSET), 96);
  store<u64>(VECTOR, load<u64>(VECTOR, 104) ^ load<u64>(OFFSET, 8), 104);
  if (isFinal) store<u64>(VECTOR, ~load<u64>(VECTOR, 112), 112);
}

/** Runs `rounds` rounds. `first` is the index of the first round in this compression. */
export function mix(rounds: u32, first: u32): void {
  let v0 = load<u64>(VECTOR, 0); let v1 = load<u64>(VECTOR, 8); let v2 = load<u64>(VECTOR, 16); let v3 = load<u64>(VECTOR, 24);
  let v4 = load<u64>(VECTOR, 32); let v5 = load<u64>(VECTOR, 40); let v6 = load<u64>(VECTOR, 48); let v7 = load<u64>(VECTOR, 56);
  let v8 = load<u64>(VECTOR, 64); let v9 = load<u64>(VECTOR, 72); let v10 = load<u64>(VECTOR, 80); let v11 = load<u64>(VECTOR, 88);
  let v12 = load<u64>(VECTOR, 96); let v13 = load<u64>(VECTOR, 104); let v14 = load<u64>(VECTOR, 112); let v15 = load<u64>(VECTOR, 120);
  let row = SCHEDULE + <usize>(first % ROUNDS) * ROW;
  for (; rounds != 0; rounds--) {
    v0 += v4 + load<u64>(load<u8>(row, 0), MESSAGE); v12 = rotr<u64>(v12 ^ v0, 32); v8 += v12; v4 = rotr<u64>(v4 ^ v8, 24);
    v0 += v4 + load<u64>(load<u8>(row, 1), MESSAGE); v12 = rotr<u64>(v12 ^ v0, 16); v8 += v12; v4 = rotr<u64>(v4 ^ v8, 63);
    v1 += v5 + load<u64>(load<u8>(row, 2), MESSAGE); v13 = rotr<u64>(v13 ^ v1, 32); v9 += v13; v5 = rotr<u64>(v5 ^ v9, 24);
    v1 += v5 + load<u64>(load<u8>(row, 3), MESSAGE); v13 = rotr<u64>(v13 ^ v1, 16); v9 += v13; v5 = rotr<u64>(v5 ^ v9, 63);
    v2 += v6 + load<u64>(load<u8>(row, 4), MESSAGE); v14 = rotr<u64>(v14 ^ v2, 32); v10 += v14; v6 = rotr<u64>(v6 ^ v10, 24);
    v2 += v6 + load<u64>(load<u8>(row, 5), MESSAGE); v14 = rotr<u64>(v14 ^ v2, 16); v10 += v14; v6 = rotr<u64>(v6 ^ v10, 63);
    v3 += v7 + load<u64>(load<u8>(row, 6), MESSAGE); v15 = rotr<u64>(v15 ^ v3, 32); v11 += v15; v7 = rotr<u64>(v7 ^ v11, 24);
    v3 += v7 + load<u64>(load<u8>(row, 7), MESSAGE); v15 = rotr<u64>(v15 ^ v3, 16); v11 += v15; v7 = rotr<u64>(v7 ^ v11, 63);
    v0 += v5 + load<u64>(load<u8>(row, 8), MESSAGE); v15 = rotr<u64>(v15 ^ v0, 32); v10 += v15; v5 = rotr<u64>(v5 ^ v10, 24);
    v0 += v5 + load<u64>(load<u8>(row, 9), MESSAGE); v15 = rotr<u64>(v15 ^ v0, 16); v10 += v15; v5 = rotr<u64>(v5 ^ v10, 63);
    v1 += v6 + load<u64>(load<u8>(row, 10), MESSAGE); v12 = rotr<u64>(v12 ^ v1, 32); v11 += v12; v6 = rotr<u64>(v6 ^ v11, 24);
    v1 += v6 + load<u64>(load<u8>(row, 11), MESSAGE); v12 = rotr<u64>(v12 ^ v1, 16); v11 += v12; v6 = rotr<u64>(v6 ^ v11, 63);
    v2 += v7 + load<u64>(load<u8>(row, 12), MESSAGE); v13 = rotr<u64>(v13 ^ v2, 32); v8 += v13; v7 = rotr<u64>(v7 ^ v8, 24);
    v2 += v7 + load<u64>(load<u8>(row, 13), MESSAGE); v13 = rotr<u64>(v13 ^ v2, 16); v8 += v13; v7 = rotr<u64>(v7 ^ v8, 63);
    v3 += v4 + load<u64>(load<u8>(row, 14), MESSAGE); v14 = rotr<u64>(v14 ^ v3, 32); v9 += v14; v4 = rotr<u64>(v4 ^ v9, 24);
    v3 += v4 + load<u64>(load<u8>(row, 15), MESSAGE); v14 = rotr<u64>(v14 ^ v3, 16); v9 += v14; v4 = rotr<u64>(v4 ^ v9, 63);
    row += ROW;
    if (row == SCHEDULE + <usize>ROUNDS * ROW) row = SCHEDULE;
  }
  store<u64>(VECTOR, v0, 0); store<u64>(VECTOR, v1, 8); store<u64>(VECTOR, v2, 16); store<u64>(VECTOR, v3, 24);
  store<u64>(VECTOR, v4, 32); store<u64>(VECTOR, v5, 40); store<u64>(VECTOR, v6, 48); store<u64>(VECTOR, v7, 56);
  store<u64>(VECTOR, v8, 64); store<u64>(VECTOR, v9, 72); store<u64>(VECTOR, v10, 80); store<u64>(VECTOR, v11, 88);
  store<u64>(VECTOR, v12, 96); store<u64>(VECTOR, v13, 104); store<u64>(VECTOR, v14, 112); store<u64>(VECTOR, v15, 120);
}

/** Ends a compression: writes the next state to STATE. */
export function end(): void {
  for (let at: usize = 0; at < 64; at += 8) {
    store<u64>(STATE + at, load<u64>(STATE + at) ^ load<u64>(VECTOR + at) ^ load<u64>(VECTOR + at, 64));
  }
}
