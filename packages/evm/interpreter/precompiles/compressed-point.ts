/** Errors of compressed points of BLS12-381's G1, with the texts of geth's library (gnark-crypto). */
import { bigIntToFixedBytes, bytesToBigInt, concatBytes } from '../../../ethereum/primitives/bytes.ts';
import type { Cryptography } from './cryptography.ts';
import { BLS12_381, INVALID_ENCODING } from './curve-points.ts';
import type { Steps } from './steps.ts';

const COORDINATE_BYTES = 48;
const FLAG_BITS = 5;
const VALUE_MASK = 0x1f;
/** Values of the first three bits: compressed, infinity, larger y. */
const FLAGS = {
  smaller: 0b100,
  larger: 0b101,
  infinity: 0b110,
  uncompressed: 0b000,
  uncompressedInfinity: 0b010,
} as const;
const ONE: Uint8Array = bigIntToFixedBytes(1n, 32);

/** Checks a compressed point of 48 bytes, group included. @returns the library's error text, or undefined */
export function* findCompressedProblem(
  point: Uint8Array,
  { bls12381 }: Pick<Cryptography, 'bls12381'>,
): Steps<string | undefined> {
  const flags = (point[0] as number) >> FLAG_BITS;
  if (flags === FLAGS.uncompressed || flags === FLAGS.uncompressedInfinity) return 'short buffer';
  const x = readX(point);
  if (flags === FLAGS.infinity) return x === 0n ? undefined : 'invalid infinity point encoding';
  if (flags !== FLAGS.smaller && flags !== FLAGS.larger) return 'invalid point encoding';
  const { prime, b } = BLS12_381;
  if (x >= prime) return INVALID_ENCODING;
  const square = (x * x * x + b) % prime;
  // The prime is 3 modulo 4, so this power is a square root if one exists.
  const y = power(square, (prime + 1n) / 4n, prime);
  if ((y * y) % prime !== square) return "invalid compressed coordinate: square root doesn't exist";
  yield;
  const coordinates = concatBytes(
    bigIntToFixedBytes(x, COORDINATE_BYTES),
    bigIntToFixedBytes(y, COORDINATE_BYTES),
  );
  const product = yield* bls12381.multiplyG1(coordinates, ONE);
  return product === undefined ? 'invalid point: subgroup check failed' : undefined;
}

function readX(point: Uint8Array): bigint {
  const bytes = point.slice();
  bytes[0] = (bytes[0] as number) & VALUE_MASK;
  return bytesToBigInt(bytes);
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let factor = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * factor) % modulus;
    factor = (factor * factor) % modulus;
  }
  return result;
}
