/** Modular exponentiation of operands of any affordable length. */

import { bytesToBigInt, trimLeadingZeros } from '../../../ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../ethereum/primitives/hex.ts';
import { LargeModulus } from './large-modulus.ts';
import type { Steps } from './steps.ts';

/** Below this modulus, a product of two residues is an exact double. Computing with doubles is 10 times faster than computing with bigints. */
const DOUBLE_MODULUS_LIMIT = 2n ** 26n;
/** For exponents up to this length a table of powers does not pay off. */
const SHORT_EXPONENT_BYTES = 8;
/** Above this modulus length, each product is a step of its own. With a modulus of 2,048 bytes, a product takes 0.05 ms. */
const SLOW_MODULUS_BYTES = 2_048;
/** Above this modulus length, a product takes several steps. With a modulus of 8,192 bytes, a product takes 0.5 ms. */
const LARGE_MODULUS_BYTES = 8_192;
/** Bytes of a base reduced per step, and of an exponent scanned per step. */
const BASE_PIECE_BYTES = 8_192;
const SCAN_PIECE_BYTES: number = 256 << 10;
/** Maximum length in bytes of integers that are converted word by word. A longer integer is converted faster through hexadecimal text. */
const SHORT_INTEGER_BYTES = 128;

/** Multiplication of residues; each product is computed without a pause. */
type Residues<T> = {
  readonly one: T;
  readonly multiply: (a: T, b: T) => T;
  /** Bytes of an exponent that take about 0.5 ms. */
  readonly exponentPiece: number;
};

/** Converts big-endian bytes of any length to an integer, in linear time. */
export function parseInteger(bytes: Uint8Array): bigint {
  return bytes.length <= SHORT_INTEGER_BYTES ? bytesToBigInt(bytes) : BigInt(bytesToHex(bytes));
}

function createDoubleResidues(modulus: number): Residues<number> {
  return {
    one: 1 % modulus,
    multiply: (a, b) => {
      const product = a * b;
      const remainder = product - Math.floor(product / modulus) * modulus;
      if (remainder < 0) return remainder + modulus;
      return remainder >= modulus ? remainder - modulus : remainder;
    },
    exponentPiece: 4_096,
  };
}

function createBigIntResidues(modulus: bigint, bytes: number): Residues<bigint> {
  // A product takes 0.15 us plus a time that grows with the modulus. Each byte of the exponent takes ten products.
  const microseconds = 10 * (0.15 + 50 * (bytes / SLOW_MODULUS_BYTES) ** 1.5);
  return {
    one: 1n % modulus,
    multiply: (a, b) => (a * b) % modulus,
    exponentPiece: Math.max(1, Math.floor(500 / microseconds)),
  };
}

function raiseBitByBit<T>(base: T, exponent: Uint8Array, { one, multiply }: Residues<T>): T {
  let power = one;
  for (const byte of exponent) {
    for (let bit = 0x80; bit > 0; bit >>= 1) {
      power = multiply(power, power);
      if ((byte & bit) !== 0) power = multiply(power, base);
    }
  }
  return power;
}

/** Raises by four exponent bits at a time, with a quarter of the multiplications by the base that single bits need. */
function* raiseByNibbles<T>(
  base: T,
  exponent: Uint8Array,
  { one, multiply, exponentPiece }: Residues<T>,
): Steps<T> {
  const powers = [one];
  for (let i = 1; i < 16; i++) powers.push(multiply(powers[i - 1] as T, base));
  let power = one;
  for (let start = 0; start < exponent.length; start += exponentPiece) {
    if (start > 0) yield;
    for (const byte of exponent.subarray(start, start + exponentPiece)) {
      for (const nibble of [byte >> 4, byte & 15]) {
        for (let i = 0; i < 4; i++) power = multiply(power, power);
        if (nibble !== 0) power = multiply(power, powers[nibble] as T);
      }
    }
  }
  return power;
}

function* raise<T>(base: T, exponent: Uint8Array, residues: Residues<T>): Steps<T> {
  if (exponent.length <= SHORT_EXPONENT_BYTES) return raiseBitByBit(base, exponent, residues);
  return yield* raiseByNibbles(base, exponent, residues);
}

/** Raises to a nonzero exponent with multiplications that take several steps. */
function* raiseSlowly(
  base: bigint,
  exponent: Uint8Array,
  multiply: (a: bigint, b: bigint) => Steps<bigint>,
): Steps<bigint> {
  let power: bigint | undefined;
  for (const byte of exponent) {
    for (let bit = 0x80; bit > 0; bit >>= 1) {
      if (power !== undefined) power = yield* multiply(power, power);
      if ((byte & bit) !== 0) power = power === undefined ? base : yield* multiply(power, base);
    }
  }
  return power as bigint;
}

/** Reduces a number of any length, from its highest bytes down. */
function* reduceBase(
  base: Uint8Array,
  pieceBytes: number,
  reduce: (value: bigint) => Steps<bigint>,
): Steps<bigint> {
  let rest = 0n;
  let end = base.length % pieceBytes;
  for (let start = 0; start < base.length; start = end, end += pieceBytes) {
    const piece = parseInteger(base.subarray(start, end));
    rest = yield* reduce((rest << BigInt(8 * (end - start))) | piece);
  }
  return rest;
}

function* skipLeadingZeros(bytes: Uint8Array): Steps<Uint8Array> {
  let start = 0;
  while (start < bytes.length) {
    const trimmed = trimLeadingZeros(bytes.subarray(start, start + SCAN_PIECE_BYTES));
    if (trimmed.length > 0) return bytes.subarray(trimmed.byteOffset - bytes.byteOffset);
    start += SCAN_PIECE_BYTES;
    yield;
  }
  return bytes.subarray(bytes.length);
}

/** Computes `base ** exponent % modulus`, all big-endian; 0 to the power of 0 is 1. The modulus is at least 1. */
export function* raiseModulo(base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array): Steps<bigint> {
  const digits = yield* skipLeadingZeros(exponent);
  const { length } = yield* skipLeadingZeros(modulus);
  const number = parseInteger(modulus);
  if (length > SLOW_MODULUS_BYTES) {
    if (digits.length === 0) return 1n;
    const large = length > LARGE_MODULUS_BYTES ? yield* LargeModulus.create(number, 8 * length) : undefined;
    if (large !== undefined) {
      const residue = yield* reduceBase(base, length, (value) => large.reduce(value));
      return yield* raiseSlowly(residue, digits, (a, b) => large.multiply(a, b));
    }
  }
  function* reduce(value: bigint): Steps<bigint> {
    if (base.length > BASE_PIECE_BYTES) yield;
    return value % number;
  }
  const residue = yield* reduceBase(base, BASE_PIECE_BYTES, reduce);
  if (length > SLOW_MODULUS_BYTES) {
    return yield* raiseSlowly(residue, digits, function* multiply(a, b) {
      yield;
      return (a * b) % number;
    });
  }
  if (number >= DOUBLE_MODULUS_LIMIT)
    return yield* raise(residue, digits, createBigIntResidues(number, length));
  return BigInt(yield* raise(Number(residue), digits, createDoubleResidues(Number(number))));
}
