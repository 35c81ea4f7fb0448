/** Keccak-256 as Ethereum has it: rate 136 bytes, padding byte 0x01. */

const RATE: u32 = 136;
const STATE: usize = memory.data(200, 16);
const ROUND_CONSTANTS: usize = memory.data<u64>([
  0x1, 0x8082, 0x800000000000808a, 0x8000000080008000, 0x808b, 0x80000001, 0x8000000080008081, 0x8000000000008009,
  0x8a, 0x88, 0x80008009, 0x8000000a, 0x8000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
  0x8000000000008002, 0x8000000000000080, 0x800a, 0x800000008000000a, 0x8000000080008081, 0x8000000000008080,
  0x80000001, 0x8000000080008008,
]);


function permute(state: usize): void {
  let a00 = load<u64>(state, 0);
  let a01 = load<u64>(state, 8);
  let a02 = load<u64>(state, 16);
  let a03 = load<u64>(state, 24);
  let a04 = load<u64>(state, 32);
  let a05 = load<u64>(state, 40);
  let a06 = load<u64>(state, 48);
  let a07 = load<u64>(state, 56);
  let a08 = load<u64>(state, 64);
  let a09 = load<u64>(state, 72);
  let a10 = load<u64>(state, 80);
  let a11 = load<u64>(state, 88);
  let a12 = load<u64>(state, 96);
  let a13 = load<u64>(state, 104);
  let a14 = load<u64>(state, 112);
  let a15 = load<u64>(state, 120);
  let a16 = load<u64>(state, 128);
  let a17 = load<u64>(state, 136);
  let a18 = load<u64>(state, 144);
  let a19 = load<u64>(state, 152);
  let a20 = load<u64>(state, 160);
  let a21 = load<u64>(state, 168);
  let a22 = load<u64>(state, 176);
  let a23 = load<u64>(state, 184);
  let a24 = load<u64>(state, 192);
  for (let constant = ROUND_CONSTANTS; constant < ROUND_CONSTANTS + 192; constant += 8) {
    const c0 = a00 ^ a05 ^ a10 ^ a15 ^ a20;
    const c1 = a01 ^ a06 ^ a11 ^ a16 ^ a21;
    const c2 = a02 ^ a07 ^ a12 ^ a17 ^ a22;
    const c3 = a03 ^ a08 ^ a13 ^ a18 ^ a23;
    const c4 = a04 ^ a09 ^ a14 ^ a19 ^ a24;
    const d0 = c4 ^ rotl<u64>(c1, 1);
    const d1 = c0 ^ rotl<u64>(c2, 1);
    const d2 = c1 ^ rotl<u64>(c3, 1);
    const d3 = c2 ^ rotl<u64>(c4, 1);
    const d4 = c3 ^ rotl<u64>(c0, 1);
    const b00 = a00 ^ d0;
    const b01 = rotl<u64>(a06 ^ d1, 44);
    const b02 = rotl<u64>(a12 ^ d2, 43);
    const b03 = rotl<u64>(a18 ^ d3, 21);
    const b04 = rotl<u64>(a24 ^ d4, 14);
    const b05 = rotl<u64>(a03 ^ d3, 28);
    const b06 = rotl<u64>(a09 ^ d4, 20);
    const b07 = rotl<u64>(a10 ^ d0, 3);
    const b08 = rotl<u64>(a16 ^ d1, 45);
    const b09 = rotl<u64>(a22 ^ d2, 61);
    const b10 = rotl<u64>(a01 ^ d1, 1);
    const b11 = rotl<u64>(a07 ^ d2, 6);
    const b12 = rotl<u64>(a13 ^ d3, 25);
    const b13 = rotl<u64>(a19 ^ d4, 8);
    const b14 = rotl<u64>(a20 ^ d0, 18);
    const b15 = rotl<u64>(a04 ^ d4, 27);
    const b16 = rotl<u64>(a05 ^ d0, 36);
    const b17 = rotl<u64>(a11 ^ d1, 10);
    const b18 = rotl<u64>(a17 ^ d2, 15);
    const b19 = rotl<u64>(a23 ^ d3, 56);
    const b20 = rotl<u64>(a02 ^ d2, 62);
    const b21 = rotl<u64>(a08 ^ d3, 55);
    const b22 = rotl<u64>(a14 ^ d4, 39);
    const b23 = rotl<u64>(a15 ^ d0, 41);
    const b24 = rotl<u64>(a21 ^ d1, 2);
    a00 = b00 ^ (~b01 & b02) ^ load<u64>(constant);
    a01 = b01 ^ (~b02 & b03);
    a02 = b02 ^ (~b03 & b04);
    a03 = b03 ^ (~b04 & b00);
    a04 = b04 ^ (~b00 & b01);
    a05 = b05 ^ (~b06 & b07);
    a06 = b06 ^ (~b07 & b08);
    a07 = b07 ^ (~b08 & b09);
    a08 = b08 ^ (~b09 & b05);
    a09 = b09 ^ (~b05 & b06);
    a10 = b10 ^ (~b11 & b12);
    a11 = b11 ^ (~b12 & b13);
    a12 = b12 ^ (~b13 & b14);
    a13 = b13 ^ (~b14 & b10);
    a14 = b14 ^ (~b10 & b11);
    a15 = b15 ^ (~b16 & b17);
    a16 = b16 ^ (~b17 & b18);
    a17 = b17 ^ (~b18 & b19);
    a18 = b18 ^ (~b19 & b15);
    a19 = b19 ^ (~b15 & b16);
    a20 = b20 ^ (~b21 & b22);
    a21 = b21 ^ (~b22 & b23);
    a22 = b22 ^ (~b23 & b24);
    a23 = b23 ^ (~b24 & b20);
    a24 = b24 ^ (~b20 & b21);
  }
  store<u64>(state, a00, 0);
  store<u64>(state, a01, 8);
  store<u64>(state, a02, 16);
  store<u64>(state, a03, 24);
  store<u64>(state, a04, 32);
  store<u64>(state, a05, 40);
  store<u64>(state, a06, 48);
  store<u64>(state, a07, 56);
  store<u64>(state, a08, 64);
  store<u64>(state, a09, 72);
  store<u64>(state, a10, 80);
  store<u64>(state, a11, 88);
  store<u64>(state, a12, 96);
  store<u64>(state, a13, 104);
  store<u64>(state, a14, 112);
  store<u64>(state, a15, 120);
  store<u64>(state, a16, 128);
  store<u64>(state, a17, 136);
  store<u64>(state, a18, 144);
  store<u64>(state, a19, 152);
  store<u64>(state, a20, 160);
  store<u64>(state, a21, 168);
  store<u64>(state, a22, 176);
  store<u64>(state, a23, 184);
  store<u64>(state, a24, 192);
}

/** Sets the state to one padded block: the first, where there is no other. */
function startWithLastBlock(input: usize, length: u32): void {
  let at: u32 = 0;
  for (; at + 8 <= length; at += 8) store<u64>(STATE + at, load<u64>(input + at));
  for (let lane = at; lane < 200; lane += 8) store<u64>(STATE + lane, 0);
  for (; at < length; at++) store<u8>(STATE + at, load<u8>(input + at));
  store<u8>(STATE + length, 1);
  store<u8>(STATE, load<u8>(STATE, RATE - 1) ^ 0x80, RATE - 1);
}

function absorbBlock(input: usize): void {
  for (let at: usize = 0; at < RATE; at += 8) {
    store<u64>(STATE + at, load<u64>(STATE + at) ^ load<u64>(input + at));
  }
}

function absorbLastBlock(input: usize, length: u32): void {
  let at: u32 = 0;
  for (; at + 8 <= length; at += 8) store<u64>(STATE + at, load<u64>(STATE + at) ^ load<u64>(input + at));
  for (; at < length; at++) store<u8>(STATE + at, load<u8>(STATE + at) ^ load<u8>(input + at));
  store<u8>(STATE + length, load<u8>(STATE + length) ^ 1);
  store<u8>(STATE, load<u8>(STATE, RATE - 1) ^ 0x80, RATE - 1);
}

/** Hashes `length` bytes at `input` into 32 bytes at `output`; neither needs alignment. */
export function keccak256(input: usize, length: u32, output: usize): void {
  if (length < RATE) {
    startWithLastBlock(input, length);
  } else {
    memory.fill(STATE, 0, 200);
    for (; length >= RATE; length -= RATE) {
      absorbBlock(input);
      permute(STATE);
      input += RATE;
    }
    absorbLastBlock(input, length);
  }
  permute(STATE);
  v128.store(output, v128.load(STATE));
  v128.store(output, v128.load(STATE, 16), 16);
}
