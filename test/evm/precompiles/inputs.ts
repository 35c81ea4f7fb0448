import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bigIntToFixedBytes, concatBytes } from '../../../src/primitives/bytes.ts';
import { hexToBytes } from '../../../src/primitives/hex.ts';

/** Inputs that precompiles accept, by address, made by another library than the one that computes. */

const HASH: Uint8Array = sha256(Uint8Array.of(1, 2, 3));
const KEY: Uint8Array = sha256(Uint8Array.of(4, 5, 6));

/** Big-endian in `length` bytes. */
export function encodeNumber(value: bigint | number, length: number = 32): Uint8Array {
  return bigIntToFixedBytes(BigInt(value), length);
}

type Point<T> = { is0(): boolean; toAffine(): { x: T; y: T } };
type Field2 = { c0: bigint; c1: bigint };

/** EIP-196. */
export function encodeBn254G1(point: Point<bigint>): Uint8Array {
  if (point.is0()) return new Uint8Array(64);
  const { x, y } = point.toAffine();
  return concatBytes(encodeNumber(x), encodeNumber(y));
}

/** EIP-197: imaginary parts first. */
export function encodeBn254G2(point: Point<Field2>): Uint8Array {
  if (point.is0()) return new Uint8Array(128);
  const { x, y } = point.toAffine();
  return concatBytes(...[x.c1, x.c0, y.c1, y.c0].map((part) => encodeNumber(part)));
}

/** Coordinates of `length` bytes: 48 by itself, 64 in EIP-2537. */
export function encodeBlsG1(point: Point<bigint>, length: 48 | 64): Uint8Array {
  if (point.is0()) return new Uint8Array(2 * length);
  const { x, y } = point.toAffine();
  return concatBytes(encodeNumber(x, length), encodeNumber(y, length));
}

export function encodeBlsG2(point: Point<Field2>, length: 48 | 64): Uint8Array {
  if (point.is0()) return new Uint8Array(4 * length);
  const { x, y } = point.toAffine();
  return concatBytes(...[x.c0, x.c1, y.c0, y.c1].map((part) => encodeNumber(part, length)));
}

export function encodeModexp(base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array): Uint8Array {
  const lengths = [base, exponent, modulus].map((part) => encodeNumber(part.length));
  return concatBytes(...lengths, base, exponent, modulus);
}

function signForEcrecover(): Uint8Array {
  const signature = secp256k1.sign(HASH, KEY, { prehash: false, format: 'recovered' });
  return concatBytes(HASH, encodeNumber(27 + (signature[0] as number)), signature.subarray(1));
}

function signForP256(): Uint8Array {
  const signature = p256.sign(HASH, KEY, { prehash: false, lowS: false });
  return concatBytes(HASH, signature, p256.getPublicKey(KEY, false).subarray(1));
}

/** BLAKE2b's last block of `abc` (EIP-152, vector 5). */
export const BLAKE2F_ABC: Uint8Array = hexToBytes(
  `0x0000000c48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b${'616263'.padEnd(256, '0')}${'03'.padEnd(32, '0')}01`,
);

/** The polynomial of the empty blob, 0 everywhere. */
function encodeZeroCommitment(): Uint8Array {
  const infinity = Uint8Array.of(0xc0, ...new Uint8Array(47));
  const versionedHash = sha256(infinity);
  versionedHash[0] = 1;
  return concatBytes(versionedHash, encodeNumber(7), encodeNumber(0), infinity, infinity);
}

const [A, B] = [bn254.G1.Point.BASE.multiply(12_345n), bn254.G2.Point.BASE.multiply(678n)];
const [C, D] = [bls12_381.G1.Point.BASE.multiply(12_345n), bls12_381.G2.Point.BASE.multiply(678n)];
const [PADDED_C, PADDED_D] = [encodeBlsG1(C, 64), encodeBlsG2(D, 64)];

export const VALID_INPUTS: ReadonlyMap<number, Uint8Array> = new Map([
  [0x01, signForEcrecover()],
  [0x02, HASH],
  [0x03, HASH],
  [0x04, HASH],
  [0x05, encodeModexp(HASH.subarray(0, 9), HASH.subarray(3, 20), KEY.subarray(1, 28))],
  [0x06, concatBytes(encodeBn254G1(A), encodeBn254G1(A.double()))],
  [0x07, concatBytes(encodeBn254G1(A), HASH)],
  [0x08, concatBytes(...[A, A.negate()].flatMap((point) => [encodeBn254G1(point), encodeBn254G2(B)]))],
  [0x09, BLAKE2F_ABC],
  [0x0a, encodeZeroCommitment()],
  [0x0b, concatBytes(PADDED_C, encodeBlsG1(C.double(), 64))],
  [0x0c, concatBytes(PADDED_C, HASH, encodeBlsG1(C.double(), 64), KEY)],
  [0x0d, concatBytes(PADDED_D, encodeBlsG2(D.double(), 64))],
  [0x0e, concatBytes(PADDED_D, HASH, encodeBlsG2(D.double(), 64), KEY)],
  [0x0f, concatBytes(PADDED_C, PADDED_D, encodeBlsG1(C.negate(), 64), PADDED_D)],
  [0x10, PADDED_C.subarray(0, 64)],
  [0x11, PADDED_D.subarray(0, 128)],
  [0x100, signForP256()],
]);
