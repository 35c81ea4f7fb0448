import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import fc from 'fast-check';
import { concatBytes } from '../../../../packages/ethereum/primitives/bytes.ts';
import { createBls12381 } from '../../../../packages/evm/cryptography/bls12-381.ts';
import { createBls12381Curve } from '../../../../packages/evm/cryptography/bls12-381-curve.ts';
import { finishSteps } from '../../../../packages/evm/interpreter/precompiles/steps.ts';
import { NODE_MCL } from '../../../../src/engine/node-cryptography.ts';
import { encodeBlsG1, encodeBlsG2, encodeNumber } from '../interpreter/precompiles/inputs.ts';

const curve = createBls12381(createBls12381Curve(NODE_MCL));
/** Numbers of pairs per batch. */
const BATCHES = [1, 3, 32];
const { Fp, Fp2 } = bls12_381.fields;
const G1 = bls12_381.G1.Point;
const G2 = bls12_381.G2.Point;
const ORDER = G1.Fn.ORDER;

type G1Point = InstanceType<typeof G1>;
type G2Point = InstanceType<typeof G2>;
const multiplyG1 = (points: Uint8Array, scalars: Uint8Array): Uint8Array | undefined =>
  finishSteps(curve.multiplyG1(points, scalars));
const multiplyG2 = (points: Uint8Array, scalars: Uint8Array): Uint8Array | undefined =>
  finishSteps(curve.multiplyG2(points, scalars));
/** Asserts that the pairing result does not depend on the batch size. @returns the result */
function checkPairing(g1: Uint8Array, g2: Uint8Array): boolean | undefined {
  const [first, ...others] = BATCHES.map((batch) => finishSteps(curve.checkPairing(g1, g2, batch)));
  for (const other of others) assert.equal(other, first);
  return first;
}
const encodeG1 = (point: G1Point): Uint8Array => encodeBlsG1(point, 48);
const encodeG2 = (point: G2Point): Uint8Array => encodeBlsG2(point, 48);

/** Finds a point on the curve; it lies in the group with negligible probability. */
function findG1CurvePoint(seed: bigint): G1Point {
  for (let x = seed; ; x++) {
    const square = Fp.add(Fp.mul(Fp.sqr(x), x), G1.CURVE().b);
    try {
      return G1.fromAffine({ x, y: Fp.sqrt(square) });
    } catch {
      // No point has this x.
    }
  }
}

function findG2CurvePoint(seed: bigint): G2Point {
  for (let c0 = seed; ; c0++) {
    const x = Fp2.fromBigTuple([c0, 1n]);
    const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.CURVE().b);
    try {
      return G2.fromAffine({ x, y: Fp2.sqrt(square) });
    } catch {
      // No point has this x.
    }
  }
}

const seed = fc.bigInt(2n, 2n ** 300n);
const anyScalar = fc.bigInt(0n, 2n ** 256n - 1n);

test('additions accept points outside the subgroups', () => {
  const property = fc.property(seed, seed, (first, second) => {
    const [a, b] = [findG1CurvePoint(first), findG1CurvePoint(second)];
    assert.deepEqual(curve.addG1(encodeG1(a), encodeG1(b)), encodeG1(a.add(b)));
    assert.deepEqual(curve.addG1(encodeG1(a), encodeG1(a)), encodeG1(a.double()));
    assert.deepEqual(curve.addG1(encodeG1(a), encodeG1(a.negate())), new Uint8Array(96));
    assert.deepEqual(curve.addG1(encodeG1(a), new Uint8Array(96)), encodeG1(a));
    const [c, d] = [findG2CurvePoint(first), findG2CurvePoint(second)];
    assert.deepEqual(curve.addG2(encodeG2(c), encodeG2(d)), encodeG2(c.add(d)));
    assert.deepEqual(curve.addG2(encodeG2(c), encodeG2(c)), encodeG2(c.double()));
    assert.deepEqual(curve.addG2(encodeG2(c), encodeG2(c.negate())), new Uint8Array(192));
  });
  fc.assert(property, { numRuns: 10 });
});

test('multiplications and pairings refuse points outside the subgroups', () => {
  const [a, c] = [encodeG1(findG1CurvePoint(5n)), encodeG2(findG2CurvePoint(5n))];
  assert.equal(multiplyG1(a, encodeNumber(0)), undefined);
  assert.equal(multiplyG2(c, encodeNumber(0)), undefined);
  assert.equal(checkPairing(a, encodeG2(G2.BASE)), undefined);
  assert.equal(checkPairing(a, new Uint8Array(192)), undefined);
  assert.equal(checkPairing(encodeG1(G1.BASE), c), undefined);
  assert.equal(checkPairing(new Uint8Array(96), c), undefined);
});

test('points off the curves and coordinates that are not below the field order are refused', () => {
  const off = concatBytes(encodeNumber(1, 48), encodeNumber(1, 48));
  const large = concatBytes(encodeNumber(Fp.ORDER, 48), encodeNumber(Fp.ORDER, 48));
  for (const wrong of [off, large]) {
    assert.equal(curve.addG1(wrong, new Uint8Array(96)), undefined);
    assert.equal(curve.addG2(concatBytes(wrong, wrong), new Uint8Array(192)), undefined);
    assert.equal(multiplyG1(wrong, encodeNumber(1)), undefined);
    assert.equal(multiplyG2(concatBytes(wrong, wrong), encodeNumber(1)), undefined);
  }
  assert.equal(curve.mapToG1(encodeNumber(Fp.ORDER, 48)), undefined);
  assert.equal(curve.mapToG2(large), undefined);
});

test('multi-scalar multiplications agree with another library', () => {
  const terms = fc.array(fc.tuple(fc.bigInt(0n, 5n), anyScalar), { minLength: 1, maxLength: 6 });
  const property = fc.property(terms, (list) => {
    const points = list.map(([factor]) => G1.BASE.multiplyUnsafe(factor));
    const twisted = list.map(([factor]) => G2.BASE.multiplyUnsafe(factor));
    const scalars = concatBytes(...list.map(([, value]) => encodeNumber(value)));
    const total = list.reduce((sum, [factor, value]) => (sum + factor * value) % ORDER, 0n);
    const [sum1, sum2] = [G1.BASE.multiplyUnsafe(total), G2.BASE.multiplyUnsafe(total)];
    assert.deepEqual(multiplyG1(concatBytes(...points.map(encodeG1)), scalars), encodeG1(sum1));
    assert.deepEqual(multiplyG2(concatBytes(...twisted.map(encodeG2)), scalars), encodeG2(sum2));
  });
  fc.assert(property, { numRuns: 20 });
});

test('multi-scalar multiplications with more points than a batch are correct', () => {
  const [g, h] = [encodeG1(G1.BASE), encodeG2(G2.BASE)];
  for (const count of [255, 256, 257, 600]) {
    const values = Array.from({ length: count }, (_, i) => BigInt(i) ** 9n);
    const scalars = concatBytes(...values.map((value) => encodeNumber(value)));
    const total = values.reduce((sum, value) => sum + value, 0n) % ORDER;
    const points = concatBytes(...values.map(() => g));
    assert.deepEqual(multiplyG1(points, scalars), encodeG1(G1.BASE.multiply(total)));
    if (count === 257) {
      const twisted = concatBytes(...values.map(() => h));
      assert.deepEqual(multiplyG2(twisted, scalars), encodeG2(G2.BASE.multiply(total)));
    }
  }
});

test('a product of pairings is one exactly if its exponents add up to zero, over several batches too', () => {
  for (const count of [1, 2, 32, 33]) {
    const factors = Array.from({ length: count }, (_, i) => BigInt(i));
    const sum = factors.reduce((total, factor) => total + factor, 0n);
    const pairs = factors.map((factor) => G1.BASE.multiplyUnsafe(factor));
    const g2 = concatBytes(...[...pairs, G1.BASE].map(() => encodeG2(G2.BASE)));
    const close = (last: bigint): Uint8Array =>
      concatBytes(...pairs.map(encodeG1), encodeG1(G1.BASE.multiplyUnsafe((ORDER + last) % ORDER)));
    assert.equal(checkPairing(close(-sum), g2), true, `${count} pairs`);
    assert.equal(checkPairing(close(1n - sum), g2), false, `${count} pairs`);
  }
});

/** The mappings accept single elements; the library's types differ. */
const mapToG1 = bls12_381.G1.mapToCurve as unknown as (element: bigint) => G1Point;
const mapToG2 = bls12_381.G2.mapToCurve as unknown as (element: readonly bigint[]) => G2Point;

test('mapped field elements agree with another library', () => {
  const element = fc.oneof(fc.bigInt(0n, Fp.ORDER - 1n), fc.constantFrom(0n, 1n, Fp.ORDER - 1n));
  const property = fc.property(element, element, (c0, c1) => {
    const image = mapToG1(c0);
    assert.deepEqual(curve.mapToG1(encodeNumber(c0, 48)), encodeG1(image));
    const image2 = mapToG2([c0, c1]);
    assert.deepEqual(
      curve.mapToG2(concatBytes(encodeNumber(c0, 48), encodeNumber(c1, 48))),
      encodeG2(image2),
    );
  });
  fc.assert(property, { numRuns: 12 });
});
