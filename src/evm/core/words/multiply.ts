/** The upper 64 bits of a 64x64-bit product, from four 32x32-bit ones; wasm has no such instruction. */
@inline
export function mulHigh(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff;
  const aHigh = a >> 32;
  const bLow = b & 0xffffffff;
  const bHigh = b >> 32;
  const middle = aHigh * bLow + ((aLow * bLow) >> 32);
  const middle2 = aLow * bHigh + (middle & 0xffffffff);
  return aHigh * bHigh + (middle >> 32) + (middle2 >> 32);
}

/** Lower 256 bits of the product, limb by limb. */
export function mulWords(destination: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a);
  const a1 = load<u64>(a, 8);
  const a2 = load<u64>(a, 16);
  const a3 = load<u64>(a, 24);
  const b0 = load<u64>(b);
  const b1 = load<u64>(b, 8);
  const b2 = load<u64>(b, 16);
  const b3 = load<u64>(b, 24);
  const p01 = a0 * b1;
  const p10 = a1 * b0;
  const s1 = mulHigh(a0, b0) + p01;
  const r1 = s1 + p10;
  let carry = u64(s1 < p01) + u64(r1 < p10);
  let r2 = a0 * b2 + carry;
  carry = u64(r2 < carry);
  let term = a1 * b1;
  r2 += term;
  carry += u64(r2 < term);
  term = a2 * b0;
  r2 += term;
  carry += u64(r2 < term);
  term = mulHigh(a0, b1);
  r2 += term;
  carry += u64(r2 < term);
  term = mulHigh(a1, b0);
  r2 += term;
  carry += u64(r2 < term);
  const r3 =
    a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + mulHigh(a0, b2) + mulHigh(a1, b1) + mulHigh(a2, b0) + carry;
  store<u64>(destination, a0 * b0);
  store<u64>(destination, r1, 8);
  store<u64>(destination, r2, 16);
  store<u64>(destination, r3, 24);
}

export function mul(sp: usize): void {
  mulWords(sp - 32, sp, sp - 32);
}

/** One row of a schoolbook product: adds a * b[0..3] into five limbs at `destination`, the topmost of which is new. */
@inline
function addRow(destination: usize, a: u64, b: usize): void {
  let carry: u64 = 0;
  for (let i: usize = 0; i < 32; i += 8) {
    const limb = load<u64>(b + i);
    const low = a * limb;
    const sum = low + carry;
    const result = load<u64>(destination + i) + sum;
    carry = mulHigh(a, limb) + u64(sum < low) + u64(result < sum);
    store<u64>(destination + i, result);
  }
  store<u64>(destination, carry, 32);
}

/** All 512 bits of the product, 8 limbs at `destination`, which overlaps no operand. */
export function mulWide(destination: usize, a: usize, b: usize): void {
  store<u64>(destination, 0);
  store<u64>(destination, 0, 8);
  store<u64>(destination, 0, 16);
  store<u64>(destination, 0, 24);
  for (let i: usize = 0; i < 32; i += 8) addRow(destination + i, load<u64>(a + i), b);
}
