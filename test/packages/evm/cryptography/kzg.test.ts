import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import fc from 'fast-check';
import { bigIntToFixedBytes } from '../../../../packages/ethereum/primitives/bytes.ts';
import { finishSteps } from '../../../../packages/evm/interpreter/precompiles/steps.ts';
import { createNodeCryptography } from '../../../../src/engine/node-cryptography.ts';

const cryptography = createNodeCryptography();
const verifyKzgProof = (...input: Parameters<typeof cryptography.verifyKzgProof>): boolean =>
  finishSteps(cryptography.verifyKzgProof(...input));
const { Point } = bls12_381.G1;
const ORDER = Point.Fn.ORDER;
/** The trusted setup's tau in G1. */
const TAU = Point.fromHex(
  'ad3eb50121139aa34db1d545093ac9374ab7bca2c0f3bf28e27c8dcd8fc7cb42d25926fc0c97b336e9f0fb35e5a04c81',
);
/** Excludes slope -1: the other proof would be the point at infinity, which the library does not encode. */
const scalar = fc.bigInt(0n, ORDER - 2n);
const encode = (value: bigint): Uint8Array => bigIntToFixedBytes(value, 32);
const multiply = (point: typeof TAU, factor: bigint): typeof TAU =>
  factor === 0n ? Point.ZERO : point.multiply(factor);

/** Commits to slope X + constant; its quotient by X - z is the constant polynomial `slope`. */
function commit(slope: bigint, constant: bigint): { commitment: Uint8Array; proof: Uint8Array } {
  const commitment = multiply(TAU, slope).add(multiply(Point.BASE, constant));
  return { commitment: commitment.toBytes(true), proof: multiply(Point.BASE, slope).toBytes(true) };
}

function evaluate(slope: bigint, constant: bigint, z: bigint): bigint {
  return (slope * z + constant) % ORDER;
}

const sometimesZero = fc.oneof({ weight: 4, arbitrary: scalar }, { weight: 1, arbitrary: fc.constant(0n) });

test('a linear polynomial is verified with its value at any point, and with no other value', () => {
  const property = fc.property(sometimesZero, sometimesZero, sometimesZero, (slope, constant, z) => {
    const { commitment, proof } = commit(slope, constant);
    const y = evaluate(slope, constant, z);
    assert.equal(verifyKzgProof(commitment, encode(z), encode(y), proof), true);
    assert.equal(verifyKzgProof(commitment, encode(z), encode((y + 1n) % ORDER), proof), false);
    const otherProof = Point.fromBytes(proof).add(Point.BASE).toBytes(true);
    assert.equal(verifyKzgProof(commitment, encode(z), encode(y), otherProof), false);
  });
  fc.assert(property, { numRuns: 15 });
});

test('a scalar that is not below the group order is refused, even if it is congruent to the right one', () => {
  const { commitment, proof } = commit(3n, 4n);
  const [z, y] = [encode(2n), encode(10n)];
  assert.equal(verifyKzgProof(commitment, z, y, proof), true);
  assert.equal(verifyKzgProof(commitment, encode(2n + ORDER), y, proof), false);
  assert.equal(verifyKzgProof(commitment, z, encode(10n + ORDER), proof), false);
});

test('a non-canonical encoding is refused, even if it encodes the right point', () => {
  const { commitment, proof } = commit(0n, 4n);
  const [z, y] = [encode(2n), encode(4n)];
  assert.equal(verifyKzgProof(commitment, z, y, proof), true);
  for (const first of [0x00, 0x40, 0x80, 0xe0, 0xc1]) {
    const wrong = proof.slice();
    wrong[0] = first;
    assert.equal(verifyKzgProof(commitment, z, y, wrong), false, `infinity with 0x${first.toString(16)}`);
  }
  const uncompressed = commitment.slice();
  uncompressed[0] = (uncompressed[0] as number) & 0x7f;
  assert.equal(verifyKzgProof(uncompressed, z, y, proof), false);
  const negative = commitment.slice();
  negative[0] = (negative[0] as number) ^ 0x20;
  assert.equal(verifyKzgProof(negative, z, y, proof), false);
});

/** Finds a point of the curve outside the subgroup, as nearly all points are. */
function findPointOutside(): typeof TAU {
  const { Fp } = Point;
  for (let x = 2n; ; x++) {
    try {
      return Point.fromAffine({ x, y: Fp.sqrt(Fp.add(Fp.mul(Fp.sqr(x), x), 4n)) });
    } catch {
      // No point has this x.
    }
  }
}

/** Multiplies by double-and-add; the library's functions refuse points outside the subgroup. */
function multiplyOutside(point: typeof TAU, factor: bigint): typeof TAU {
  let product = Point.ZERO;
  for (const bit of factor.toString(2)) {
    product = product.double();
    if (bit === '1') product = product.add(point);
  }
  return product;
}

function compress(point: typeof TAU): Uint8Array {
  const { x, y } = point.toAffine();
  const bytes = bigIntToFixedBytes(x, 48);
  bytes[0] = (bytes[0] as number) | (2n * y > Point.Fp.ORDER ? 0xa0 : 0x80);
  return bytes;
}

test('a point outside the subgroup is refused, even if its pairings equal those of a point inside', () => {
  const { commitment, proof } = commit(3n, 4n);
  const [z, y] = [encode(2n), encode(10n)];
  assert.equal(verifyKzgProof(commitment, z, y, proof), true);
  // The pairing with a point whose order divides the cofactor is one.
  const invisible = multiplyOutside(findPointOutside(), ORDER);
  assert.equal(invisible.is0(), false);
  assert.deepEqual(compress(Point.fromBytes(commitment)), commitment);
  assert.equal(verifyKzgProof(compress(Point.fromBytes(commitment).add(invisible)), z, y, proof), false);
  assert.equal(verifyKzgProof(commitment, z, y, compress(Point.fromBytes(proof).add(invisible))), false);
});
