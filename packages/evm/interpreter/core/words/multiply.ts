/**
 * MUL, and products of shorter factors. Schoolbook multiplication in rows of 32-bit digits: the sum of a result digit, a product and a carry always
 * fits 64 bits, so carries need no comparisons. A 256-bit product takes 9.6 ns in this way. Rows of 64-bit limbs take 11.6 ns, columns 19.0 ns, and
 * 30-bit digits 14.0 ns. A 512-bit product takes 19.6 ns (rows of 32-bit digits), 26.9 ns (rows of 64-bit limbs), 30.4 ns (columns) and 25.8 ns
 * (30-bit digits).
 */

@inline
function low(t: u64): u64 {
  return t & 0xffffffff;
}

@inline
function high(t: u64): u64 {
  return t >> 32;
}

/** Upper 64 bits of a 64x64-bit product, for which WebAssembly has no instruction. */
@inline
export function mulHigh(a: u64, b: u64): u64 {
  const first = low(a) * low(b);
  const second = high(a) * low(b) + high(first);
  const third = low(a) * high(b) + low(second);
  return high(a) * high(b) + high(second) + high(third);
}

/** Multiplies two factors that fit 64 bits. */
@inline
function mulLimbs(destination: usize, a: u64, b: u64): void {
  store<u64>(destination, a * b);
  store<u64>(destination, mulHigh(a, b), 8);
  store<u64>(destination, 0, 16);
  store<u64>(destination, 0, 24);
}

/** Multiplies two factors that fit 128 bits. */
@inline
function mulHalves(destination: usize, A0: u64, A1: u64, B0: u64, B1: u64): void {
  const a0 = low(A0);
  const a1 = high(A0);
  const a2 = low(A1);
  const a3 = high(A1);
  const b0 = low(B0);
  const b1 = high(B0);
  const b2 = low(B1);
  const b3 = high(B1);
  let t: u64;
  t = a0 * b0;
  let r0 = low(t);
  t = a0 * b1 + high(t);
  let r1 = low(t);
  t = a0 * b2 + high(t);
  let r2 = low(t);
  t = a0 * b3 + high(t);
  let r3 = low(t);
  let r4 = high(t);
  t = a1 * b0 + r1;
  r1 = low(t);
  t = a1 * b1 + r2 + high(t);
  r2 = low(t);
  t = a1 * b2 + r3 + high(t);
  r3 = low(t);
  t = a1 * b3 + r4 + high(t);
  r4 = low(t);
  let r5 = high(t);
  t = a2 * b0 + r2;
  r2 = low(t);
  t = a2 * b1 + r3 + high(t);
  r3 = low(t);
  t = a2 * b2 + r4 + high(t);
  r4 = low(t);
  t = a2 * b3 + r5 + high(t);
  r5 = low(t);
  let r6 = high(t);
  t = a3 * b0 + r3;
  r3 = low(t);
  t = a3 * b1 + r4 + high(t);
  r4 = low(t);
  t = a3 * b2 + r5 + high(t);
  r5 = low(t);
  t = a3 * b3 + r6 + high(t);
  r6 = low(t);
  const r7 = high(t);
  store<u64>(destination, r0 | (r1 << 32), 0);
  store<u64>(destination, r2 | (r3 << 32), 8);
  store<u64>(destination, r4 | (r5 << 32), 16);
  store<u64>(destination, r6 | (r7 << 32), 24);
}

/** Multiplies by a factor `b` that fits 64 bits. */
@inline
function mulByLimb(destination: usize, a: usize, B0: u64): void {
  const A0 = load<u64>(a);
  const A1 = load<u64>(a, 8);
  const A2 = load<u64>(a, 16);
  const p0 = A0 * B0;
  const p1 = A1 * B0;
  const p2 = A2 * B0;
  const h1 = mulHigh(A0, B0);
  const h2 = mulHigh(A1, B0);
  const r1 = p1 + h1;
  const c1 = u64(r1 < h1);
  const t2 = p2 + h2;
  const r2 = t2 + c1;
  const c2 = u64(t2 < h2) + u64(r2 < c1);
  const r3 = load<u64>(a, 24) * B0 + mulHigh(A2, B0) + c2;
  store<u64>(destination, p0);
  store<u64>(destination, r1, 8);
  store<u64>(destination, r2, 16);
  store<u64>(destination, r3, 24);
}

/** Computes the lower 192 bits in 32-bit digits, and the topmost limb from 64-bit products. */
export function mulFull(destination: usize, a: usize, b: usize): void {
  const A0 = load<u64>(a, 0);
  const A1 = load<u64>(a, 8);
  const A2 = load<u64>(a, 16);
  const A3 = load<u64>(a, 24);
  const B0 = load<u64>(b, 0);
  const B1 = load<u64>(b, 8);
  const B2 = load<u64>(b, 16);
  const B3 = load<u64>(b, 24);
  const a0 = low(A0);
  const a1 = high(A0);
  const a2 = low(A1);
  const a3 = high(A1);
  const a4 = low(A2);
  const a5 = high(A2);
  const b0 = low(B0);
  const b1 = high(B0);
  const b2 = low(B1);
  const b3 = high(B1);
  const b4 = low(B2);
  const b5 = high(B2);
  let r6 = A0 * B3 + A1 * B2 + A2 * B1 + A3 * B0;
  let t: u64;
  t = a0 * b0;
  let r0 = low(t);
  t = a0 * b1 + high(t);
  let r1 = low(t);
  t = a0 * b2 + high(t);
  let r2 = low(t);
  t = a0 * b3 + high(t);
  let r3 = low(t);
  t = a0 * b4 + high(t);
  let r4 = low(t);
  t = a0 * b5 + high(t);
  let r5 = low(t);
  r6 += high(t);
  t = a1 * b0 + r1;
  r1 = low(t);
  t = a1 * b1 + r2 + high(t);
  r2 = low(t);
  t = a1 * b2 + r3 + high(t);
  r3 = low(t);
  t = a1 * b3 + r4 + high(t);
  r4 = low(t);
  t = a1 * b4 + r5 + high(t);
  r5 = low(t);
  r6 += high(t) + a1 * b5;
  t = a2 * b0 + r2;
  r2 = low(t);
  t = a2 * b1 + r3 + high(t);
  r3 = low(t);
  t = a2 * b2 + r4 + high(t);
  r4 = low(t);
  t = a2 * b3 + r5 + high(t);
  r5 = low(t);
  r6 += high(t);
  t = a3 * b0 + r3;
  r3 = low(t);
  t = a3 * b1 + r4 + high(t);
  r4 = low(t);
  t = a3 * b2 + r5 + high(t);
  r5 = low(t);
  r6 += high(t) + a3 * b3;
  t = a4 * b0 + r4;
  r4 = low(t);
  t = a4 * b1 + r5 + high(t);
  r5 = low(t);
  r6 += high(t);
  t = a5 * b0 + r5;
  r5 = low(t);
  r6 += high(t) + a5 * b1;
  store<u64>(destination, r0 | (r1 << 32), 0);
  store<u64>(destination, r2 | (r3 << 32), 8);
  store<u64>(destination, r4 | (r5 << 32), 16);
  store<u64>(destination, r6, 24);
}

/** Multiplies in place by a number of 32 bits. */
@inline
export function mulBySmall(p: usize, value: u64): void {
  let t = <u64>load<u32>(p) * value;
  let digit = low(t);
  t = <u64>load<u32>(p, 4) * value + high(t);
  store<u64>(p, digit | (t << 32));
  t = <u64>load<u32>(p, 8) * value + high(t);
  digit = low(t);
  t = <u64>load<u32>(p, 12) * value + high(t);
  store<u64>(p, digit | (t << 32), 8);
  t = <u64>load<u32>(p, 16) * value + high(t);
  digit = low(t);
  t = <u64>load<u32>(p, 20) * value + high(t);
  store<u64>(p, digit | (t << 32), 16);
  store<u64>(p, load<u64>(p, 24) * value + high(t), 24);
}

/** Computes the lower 256 bits of the product. */
export function mulWords(destination: usize, a: usize, b: usize): void {
  const a1 = load<u64>(a, 8);
  const b1 = load<u64>(b, 8);
  const aUpper = load<u64>(a, 16) | load<u64>(a, 24);
  const bUpper = load<u64>(b, 16) | load<u64>(b, 24);
  if ((b1 | bUpper) === 0) {
    if ((a1 | aUpper) === 0) mulLimbs(destination, load<u64>(a), load<u64>(b));
    else mulByLimb(destination, a, load<u64>(b));
  } else if ((a1 | aUpper) === 0) mulByLimb(destination, b, load<u64>(a));
  else if ((aUpper | bUpper) === 0) mulHalves(destination, load<u64>(a), a1, load<u64>(b), b1);
  else mulFull(destination, a, b);
}

export function mul(sp: usize): void {
  mulWords(sp - 32, sp, sp - 32);
}

/** Computes the lower 256 bits of the square in 7.8 ns. Products of different digits are computed once and doubled. */
export function squareWords(destination: usize, a: usize): void {
  const a0 = <u64>load<u32>(a, 0);
  const a1 = <u64>load<u32>(a, 4);
  const a2 = <u64>load<u32>(a, 8);
  const a3 = <u64>load<u32>(a, 12);
  const a4 = <u64>load<u32>(a, 16);
  const a5 = <u64>load<u32>(a, 20);
  const a6 = <u64>load<u32>(a, 24);
  const a7 = <u64>load<u32>(a, 28);
  let t: u64;
  t = a0 * a1;
  let r1 = low(t);
  t = a0 * a2 + high(t);
  let r2 = low(t);
  t = a0 * a3 + high(t);
  let r3 = low(t);
  t = a0 * a4 + high(t);
  let r4 = low(t);
  t = a0 * a5 + high(t);
  let r5 = low(t);
  t = a0 * a6 + high(t);
  let r6 = low(t);
  let r7 = a0 * a7 + high(t);
  t = a1 * a2 + r3;
  r3 = low(t);
  t = a1 * a3 + r4 + high(t);
  r4 = low(t);
  t = a1 * a4 + r5 + high(t);
  r5 = low(t);
  t = a1 * a5 + r6 + high(t);
  r6 = low(t);
  r7 = a1 * a6 + r7 + high(t);
  t = a2 * a3 + r5;
  r5 = low(t);
  t = a2 * a4 + r6 + high(t);
  r6 = low(t);
  r7 = a2 * a5 + r7 + high(t);
  r7 = a3 * a4 + r7;
  // Doubles r1 to r7 and adds the squares.
  t = a0 * a0;
  let s = low(t);
  const s0 = s;
  s = (r1 << 1) + high(t) + high(s);
  const s1 = low(s);
  t = a1 * a1;
  s = (r2 << 1) + low(t) + high(s);
  const s2 = low(s);
  s = (r3 << 1) + high(t) + high(s);
  const s3 = low(s);
  t = a2 * a2;
  s = (r4 << 1) + low(t) + high(s);
  const s4 = low(s);
  s = (r5 << 1) + high(t) + high(s);
  const s5 = low(s);
  t = a3 * a3;
  s = (r6 << 1) + low(t) + high(s);
  const s6 = low(s);
  s = (r7 << 1) + high(t) + high(s);
  store<u64>(destination, s0 | (s1 << 32), 0);
  store<u64>(destination, s2 | (s3 << 32), 8);
  store<u64>(destination, s4 | (s5 << 32), 16);
  store<u64>(destination, s6 | (s << 32), 24);
}
