/** Quotient digits from a reciprocal: Möller and Granlund, "Improved division by invariant integers" (2011). */
import { mulHigh } from './multiply.ts';

/** floor((2^19 - 3 * 2^8) / i) for i = 256..511, u16 each. */
const ESTIMATES: usize = memory.data(512, 16);
let hasEstimates = false;

function fillEstimates(): void {
  for (let i: u32 = 0; i < 256; i++) store<u16>(ESTIMATES + (i << 1), <u16>(0x7fd00 / (256 + i)));
  hasEstimates = true;
}

/**
 * Direct-mapped cache of reciprocals by divisor. Contracts divide by few numbers (10^18, 10^27, fees, primes). A hit saves 10 to 16 ns of a
 * division's 39 to 51 ns; a miss costs less than 1 ns.
 */
const CACHE_BITS: u64 = 5;
const LIMBS: usize = memory.data(16 << 5, 16);
const PAIRS: usize = memory.data(32 << 5, 16);

@inline
function chooseEntry(key: u64): usize {
  return <usize>((key * 0x9e3779b97f4a7c15) >> (64 - CACHE_BITS));
}

/** Returns the cached `reciprocalOfLimb`, or computes and caches it. An empty entry has divisor 0, and no caller divides by 0. */
@inline
export function findReciprocalOfLimb(divisor: u64): u64 {
  const entry = LIMBS + (chooseEntry(divisor) << 4);
  if (load<u64>(entry) === divisor) return load<u64>(entry, 8);
  const v = reciprocalOfLimb(divisor);
  store<u64>(entry, divisor);
  store<u64>(entry, v, 8);
  return v;
}

/** Returns the cached `reciprocalOfPair`, or computes and caches it. */
@inline
export function findReciprocalOfPair(d1: u64, d0: u64): u64 {
  const entry = PAIRS + (chooseEntry(d1 ^ rotl<u64>(d0, 31)) << 5);
  if (load<u64>(entry) === d1 && load<u64>(entry, 8) === d0) return load<u64>(entry, 16);
  const v = reciprocalOfPair(d1, d0);
  store<u64>(entry, d1);
  store<u64>(entry, d0, 8);
  store<u64>(entry, v, 16);
  return v;
}

/** floor((2^128 - 1) / divisor) - 2^64; the top bit of `divisor` is set (algorithm 3). */
function reciprocalOfLimb(divisor: u64): u64 {
  if (!hasEstimates) fillEstimates();
  const v0 = <u64>load<u16>(ESTIMATES + <usize>((divisor >> 54) & 0x1fe));
  const d40 = (divisor >> 24) + 1;
  const v1 = (v0 << 11) - ((v0 * v0 * d40) >> 40) - 1;
  const v2 = (v1 << 13) + ((v1 * (((<u64>1) << 60) - v1 * d40)) >> 47);
  const d63 = (divisor >> 1) + (divisor & 1);
  const error = ((v2 >> 1) & -(divisor & 1)) - v2 * d63;
  const v3 = (mulHigh(v2, error) >> 1) + (v2 << 31);
  const low = v3 * divisor;
  return v3 - (mulHigh(v3, divisor) + u64(low + divisor < low)) - divisor;
}

/** floor((2^192 - 1) / (d1, d0)) - 2^64; the top bit of `d1` is set (algorithm 6). */
function reciprocalOfPair(d1: u64, d0: u64): u64 {
  let v = reciprocalOfLimb(d1);
  let p = d1 * v + d0;
  if (p < d0) {
    v--;
    if (p >= d1) {
      v--;
      p -= d1;
    }
    p -= d1;
  }
  const low = v * d0;
  const high = mulHigh(v, d0);
  p += high;
  if (p < high) {
    v--;
    if (p > d1 || (p === d1 && low >= d0)) v--;
  }
  return v;
}

/** floor((u1, u0) / d), for u1 < d. The top bit of d is set, and v is the reciprocal of d (algorithm 4). */
@inline
export function divideByLimb(u1: u64, u0: u64, d: u64, v: u64): u64 {
  const low = v * u1;
  const q0 = low + u0;
  let q = mulHigh(v, u1) + u1 + u64(q0 < low) + 1;
  let r = u0 - q * d;
  const mask = -u64(r > q0);
  q += mask;
  r += mask & d;
  return r >= d ? q + 1 : q;
}

/** floor((u2, u1, u0) / (d1, d0)), for (u2, u1) < (d1, d0). The top bit of d1 is set, and v is the reciprocal of (d1, d0) (algorithm 5). */
@inline
export function divideByPair(u2: u64, u1: u64, u0: u64, d1: u64, d0: u64, v: u64): u64 {
  const low = v * u2;
  const q0 = low + u1;
  let q = mulHigh(v, u2) + u2 + u64(q0 < low);
  const t0 = d0 * q;
  const x0 = u0 - t0;
  let r0 = x0 - d0;
  let r1 = u1 - q * d1 - mulHigh(d0, q) - u64(u0 < t0) - d1 - u64(x0 < d0);
  q++;
  const mask = -u64(r1 >= q0);
  q += mask;
  r0 += mask & d0;
  r1 += (mask & d1) + u64(r0 < (mask & d0));
  return r1 > d1 || (r1 === d1 && r0 >= d0) ? q + 1 : q;
}
