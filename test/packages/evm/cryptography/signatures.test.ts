import assert from 'node:assert/strict';
import { test } from 'node:test';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { bytesToBigInt, concatBytes } from '../../../../packages/ethereum/primitives/bytes.ts';
import { createP256Verifier } from '../../../../packages/evm/cryptography/p256.ts';
import { createMclRecovery } from '../../../../packages/evm/cryptography/secp256k1-mcl.ts';
import { createRecovery } from '../../../../src/engine/native-recovery.ts';
import { NODE_MCL } from '../../../../src/engine/node-cryptography.ts';
import { countRuns } from '../../../support/count-runs.ts';
import { encodeNumber } from '../interpreter/precompiles/inputs.ts';

const word = fc.uint8Array({ minLength: 32, maxLength: 32 });
const key = fc.bigInt(1n, secp256k1.Point.Fn.ORDER - 1n).map((value) => encodeNumber(value));
const p256Key = fc.bigInt(1n, p256.Point.Fn.ORDER - 1n).map((value) => encodeNumber(value));
const hash = fc.oneof(
  { weight: 6, arbitrary: word },
  fc.constantFrom(new Uint8Array(32), new Uint8Array(32).fill(255)),
);

for (const [name, recover] of [
  ['the chosen library', createRecovery(NODE_MCL)],
  ['mcl', createMclRecovery(NODE_MCL)],
] as const) {
  test(`${name} recovers secp256k1 keys from signatures with high and low s`, () => {
    const property = fc.property(hash, key, (digest, privateKey) => {
      const signature = secp256k1.sign(digest, privateKey, { prehash: false, format: 'recovered' });
      const parity = signature[0] as number as 0 | 1;
      const expected = secp256k1.getPublicKey(privateKey, false).subarray(1);
      assert.deepEqual(recover(digest, signature.subarray(1), parity), expected);
      const s = secp256k1.Point.Fn.ORDER - bytesToBigInt(signature.subarray(33));
      const high = concatBytes(signature.subarray(1, 33), encodeNumber(s));
      assert.deepEqual(recover(digest, high, parity === 0 ? 1 : 0), expected);
    });
    fc.assert(property, { numRuns: 25 });
  });

  test(`${name} agrees with another library for any r and s`, () => {
    const order = secp256k1.Point.Fn.ORDER;
    const number = fc.oneof(
      { weight: 3, arbitrary: fc.bigInt(1n, 2n ** 256n - 1n) },
      { weight: 1, arbitrary: fc.constantFrom(0n, 1n, 2n, order - 1n, order, order + 1n, 2n ** 256n - 1n) },
    );
    const property = fc.property(
      hash,
      number,
      number,
      fc.constantFrom(0 as const, 1 as const),
      (digest, r, s, parity) => {
        let expected: Uint8Array | undefined;
        try {
          const signature = concatBytes(Uint8Array.of(parity), encodeNumber(r), encodeNumber(s));
          const compressed = secp256k1.recoverPublicKey(signature, digest, { prehash: false });
          expected = secp256k1.Point.fromBytes(compressed).toBytes(false).slice(1);
        } catch {
          expected = undefined;
        }
        assert.deepEqual(recover(digest, concatBytes(encodeNumber(r), encodeNumber(s)), parity), expected);
      },
    );
    fc.assert(property, { numRuns: countRuns(60) });
  });

  test(`${name} recovers no key where the recovery equation yields infinity`, () => {
    // R = G and s = hash: s R - hash G = 0.
    const { x, y } = secp256k1.Point.BASE.toAffine();
    const digest = encodeNumber(77);
    const signature = concatBytes(encodeNumber(x), digest);
    assert.equal(recover(digest, signature, Number(y & 1n) as 0 | 1), undefined);
  });
}

const verify = createP256Verifier(NODE_MCL);

test('P-256 verification accepts signatures of another library, and refuses any changed byte', () => {
  const property = fc.property(
    hash,
    p256Key,
    fc.nat(159),
    fc.integer({ min: 1, max: 255 }),
    (digest, privateKey, at, change) => {
      const signature = p256.sign(digest, privateKey, { prehash: false, lowS: false });
      const publicKey = p256.getPublicKey(privateKey, false).subarray(1);
      assert.equal(verify(digest, signature, publicKey), true);
      const changed = concatBytes(digest, signature, publicKey);
      changed[at] = (changed[at] as number) ^ change;
      assert.equal(verify(changed.subarray(0, 32), changed.subarray(32, 96), changed.subarray(96)), false);
    },
  );
  fc.assert(property, { numRuns: 25 });
});

test('P-256 signatures out of range and keys off the curve are refused', () => {
  const digest = encodeNumber(5);
  const privateKey = encodeNumber(9);
  const signature = p256.sign(digest, privateKey, { prehash: false, lowS: false });
  const publicKey = p256.getPublicKey(privateKey, false).subarray(1);
  const { ORDER } = p256.Point.Fn;
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)];
  assert.equal(verify(digest, signature, publicKey), true);
  assert.equal(verify(digest, concatBytes(r, encodeNumber(ORDER - bytesToBigInt(s))), publicKey), true);
  for (const wrong of [0n, ORDER, 2n ** 256n - 1n]) {
    assert.equal(verify(digest, concatBytes(encodeNumber(wrong), s), publicKey), false);
    assert.equal(verify(digest, concatBytes(r, encodeNumber(wrong)), publicKey), false);
  }
  assert.equal(verify(digest, signature, new Uint8Array(64)), false);
  assert.equal(verify(digest, signature, new Uint8Array(64).fill(255)), false);
});

test('a P-256 signature is valid if the x of its nonce point exceeds the group order', () => {
  // The x of the nonce's point lies between the group order and the field order; r is x modulo the group order.
  const { Fp, Fn } = p256.Point;
  let x = Fn.ORDER;
  let point: InstanceType<typeof p256.Point> | undefined;
  while (point === undefined) {
    x++;
    try {
      point = p256.Point.fromBytes(concatBytes(Uint8Array.of(2), encodeNumber(x)));
    } catch {
      point = undefined;
    }
  }
  assert.ok(x < Fp.ORDER);
  const [r, s, digest] = [x - Fn.ORDER, 12_345n, 678n];
  // Q = (s R - hash G) / r makes R the point that verification computes.
  const inverse = Fn.inv(r);
  const publicKey = point
    .multiply(Fn.create(s * inverse))
    .add(p256.Point.BASE.multiply(Fn.create(-digest * inverse)))
    .toBytes(false);
  const signature = concatBytes(encodeNumber(r), encodeNumber(s));
  assert.equal(verify(encodeNumber(digest), signature, publicKey.subarray(1)), true);
});
