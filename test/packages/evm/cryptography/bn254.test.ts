import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bn254 } from '@noble/curves/bn254.js';
import fc from 'fast-check';
import { bigIntToFixedBytes, concatBytes } from '../../../../packages/ethereum/primitives/bytes.ts';
import { createBn254 } from '../../../../packages/evm/cryptography/bn254.ts';
import { finishSteps } from '../../../../packages/evm/interpreter/precompiles/steps.ts';
import { NODE_MCL } from '../../../../src/engine/node-cryptography.ts';
import { encodeBn254G1, encodeBn254G2, encodeNumber } from '../interpreter/precompiles/inputs.ts';

const curve = createBn254(NODE_MCL);
/** Numbers of pairs per batch. */
const BATCHES = [1, 3, 32];
/** Asserts that the pairing result does not depend on the batch size. @returns the result */
function checkPairing(pairs: Uint8Array): boolean | undefined {
  const [first, ...others] = BATCHES.map((batch) => finishSteps(curve.checkPairing(pairs, batch)));
  for (const other of others) assert.equal(other, first);
  return first;
}
const { Fp2 } = bn254.fields;
const G1 = bn254.G1.Point;
const G2 = bn254.G2.Point;
type G2Point = InstanceType<typeof G2>;
const ORDER = G1.Fn.ORDER;
/** The twist's order divided by that of G2; 10069 divides it. */
const COFACTOR = 2n * G1.Fp.ORDER - ORDER;

const scalar = fc.bigInt(1n, ORDER - 1n);
const g1 = fc.oneof(
  { weight: 6, arbitrary: scalar.map((factor) => G1.BASE.multiply(factor)) },
  { weight: 1, arbitrary: fc.constant(G1.ZERO) },
);

/** Finds a point on the twist; it lies in G2 with negligible probability. */
function findTwistPoint(seed: bigint): G2Point {
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

/** Multiplies by double-and-add; the library's multiplication refuses factors beyond the order of G2. */
function multiply(point: G2Point, factor: bigint): G2Point {
  let product = G2.ZERO;
  for (const bit of factor.toString(2)) {
    product = product.double();
    if (bit === '1') product = product.add(point);
  }
  return product;
}

const isInGroup = (point: G2Point): boolean =>
  checkPairing(concatBytes(encodeBn254G1(G1.BASE), encodeBn254G2(point))) !== undefined;

test('sums and products agree with another library', () => {
  const property = fc.property(g1, g1, fc.bigInt(0n, 2n ** 256n - 1n), (a, b, factor) => {
    assert.deepEqual(curve.add(encodeBn254G1(a), encodeBn254G1(b)), encodeBn254G1(a.add(b)));
    assert.deepEqual(curve.add(encodeBn254G1(a), encodeBn254G1(a)), encodeBn254G1(a.double()));
    assert.deepEqual(curve.add(encodeBn254G1(a), encodeBn254G1(a.negate())), new Uint8Array(64));
    const product = a.multiplyUnsafe(factor % ORDER);
    assert.deepEqual(curve.multiply(encodeBn254G1(a), encodeNumber(factor)), encodeBn254G1(product));
  });
  fc.assert(property, { numRuns: 30 });
});

test('a product of pairings is one exactly if its exponents add up to zero, over several batches too', () => {
  const q = G2.BASE.multiply(9n);
  for (const count of [1, 2, 31, 32, 33, 65]) {
    let sum = 0n;
    const pairs: Uint8Array[] = [];
    for (let i = 1n; i < count; i++) {
      sum += i;
      pairs.push(encodeBn254G1(G1.BASE.multiply(i)), encodeBn254G2(q));
    }
    const last = sum === 0n ? G1.ZERO : G1.BASE.multiply(ORDER - sum);
    const closed = concatBytes(...pairs, encodeBn254G1(last), encodeBn254G2(q));
    const open = concatBytes(...pairs, encodeBn254G1(last.add(G1.BASE)), encodeBn254G2(q));
    assert.equal(checkPairing(closed), true, `${count} pairs`);
    assert.equal(checkPairing(open), false, `${count} pairs`);
  }
});

test('points of the twist in G2 are accepted', () => {
  assert.equal(isInGroup(G2.ZERO), true);
  fc.assert(
    fc.property(scalar, (factor) => assert.equal(isInGroup(G2.BASE.multiply(factor)), true)),
    { numRuns: 10 },
  );
});

test('points of the twist outside G2 are refused, even of small order or added to points in G2', () => {
  const seed = fc.bigInt(2n, 2n ** 200n);
  const property = fc.property(seed, scalar, (start, factor) => {
    const point = findTwistPoint(start);
    const outside = multiply(point, ORDER);
    const smallOrder = multiply(outside, COFACTOR / 10_069n);
    assert.equal(multiply(smallOrder, 10_069n).is0(), true);
    const inside = G2.BASE.multiply(factor);
    for (const candidate of [point, outside, smallOrder, inside.add(outside), inside.add(smallOrder)]) {
      assert.equal(isInGroup(candidate), multiply(candidate, ORDER).is0());
    }
    assert.equal(isInGroup(point), false);
    assert.equal(isInGroup(multiply(point, COFACTOR)), true);
  });
  fc.assert(property, { numRuns: 6 });
});

test('coordinates that are not below the field order are refused', () => {
  const { x, y } = G1.BASE.toAffine();
  const p = G1.Fp.ORDER;
  const shifted = [
    concatBytes(encodeNumber(x + p), encodeNumber(y)),
    concatBytes(encodeNumber(x), encodeNumber(y + p)),
  ];
  for (const point of [...shifted, concatBytes(encodeNumber(p), encodeNumber(p))]) {
    assert.equal(curve.add(point, new Uint8Array(64)), undefined);
    assert.equal(curve.multiply(point, bigIntToFixedBytes(1n, 32)), undefined);
    assert.equal(checkPairing(concatBytes(point, encodeBn254G2(G2.BASE))), undefined);
  }
  const q = encodeBn254G2(G2.BASE);
  for (let part = 0; part < 4; part++) {
    const wrong = q.slice();
    wrong.set(encodeNumber(p), 32 * part);
    assert.equal(checkPairing(concatBytes(new Uint8Array(64), wrong)), undefined);
  }
});
