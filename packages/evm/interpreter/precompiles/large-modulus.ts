/**
 * Modular multiplication for numbers so long that one product takes a millisecond or more: Karatsuba multiplication and Barrett reduction,
 * in steps.
 */
import type { Steps } from './steps.ts';

/** Maximum factor length of a product in one step, bits. Multiplying factors of this length takes 0.4 ms. */
const PRODUCT_BITS: number = 1 << 17;
/**
 * Maximum modulus length that `invert` handles by one division, bits. The division takes 0.3 ms, since its dividend has twice as many bits as the
 * modulus.
 */
const DIVISION_BITS: number = 1 << 16;
/** Extra bits of the half-length inverse in Newton's method. The extra bits compensate for leading zeros and for truncation. */
const GUARD_BITS = 16;

/** @param bits approximate bits of the longer factor; they determine how the product is split, not its value */
function* multiply(a: bigint, b: bigint, bits: number): Steps<bigint> {
  if (bits <= PRODUCT_BITS) {
    yield;
    return a * b;
  }
  const half = (bits + 1) >> 1;
  const shift = BigInt(half);
  const [aHigh, bHigh] = [a >> shift, b >> shift];
  const [aLow, bLow] = [BigInt.asUintN(half, a), BigInt.asUintN(half, b)];
  yield;
  const high = yield* multiply(aHigh, bHigh, half);
  const low = yield* multiply(aLow, bLow, half);
  const both = yield* multiply(aHigh + aLow, bHigh + bLow, half + 1);
  return (((high << shift) + (both - high - low)) << shift) + low;
}

/**
 * Computes `2 ** (2 * bits) / modulus` by Newton's method, with an error of a few units.
 * @param bits length of the modulus, bits. Fewer than 8 leading bits of the modulus may be zero.
 */
function* invert(modulus: bigint, bits: number): Steps<bigint> {
  if (bits <= DIVISION_BITS) {
    yield;
    return (1n << BigInt(2 * bits)) / modulus;
  }
  const half = (bits >> 1) + GUARD_BITS;
  const cut = BigInt(bits - half);
  const coarse = yield* invert(modulus >> cut, half);
  const square = yield* multiply(coarse, coarse, half);
  const product = yield* multiply(square, modulus, bits + 2 * GUARD_BITS);
  return (coarse << (cut + 1n)) - (product >> BigInt(2 * half));
}

/** A long modulus with its precomputed inverse. */
export class LargeModulus {
  readonly #modulus: bigint;
  readonly #bits: number;
  readonly #inverse: bigint;

  private constructor(modulus: bigint, bits: number, inverse: bigint) {
    this.#modulus = modulus;
    this.#bits = bits;
    this.#inverse = inverse;
  }

  /** @param bits length of the modulus, bits. Fewer than 8 leading bits of the modulus may be zero. */
  static *create(modulus: bigint, bits: number): Steps<LargeModulus> {
    return new LargeModulus(modulus, bits, yield* invert(modulus, bits));
  }

  /** Returns the product of two residues modulo the modulus. */
  *multiply(a: bigint, b: bigint): Steps<bigint> {
    return yield* this.reduce(yield* multiply(a, b, this.#bits));
  }

  /** @param value integer at most twice as long as the modulus */
  *reduce(value: bigint): Steps<bigint> {
    const bits = BigInt(this.#bits);
    const estimate = yield* multiply(value >> (bits - 1n), this.#inverse, this.#bits);
    const quotient = estimate >> (bits + 1n);
    let rest = value - (yield* multiply(quotient, this.#modulus, this.#bits));
    // The estimated quotient differs from the exact quotient by at most a few units.
    while (rest < 0n) rest += this.#modulus;
    while (rest >= this.#modulus) rest -= this.#modulus;
    return rest;
  }
}
