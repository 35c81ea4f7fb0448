import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { foldL1Cost } from '../../src/rollup/estimate/fold-l1-cost.ts';
import { measureFastLz } from '../../src/rollup/fees/fast-lz.ts';
import {
  computeBedrockFee,
  computeEcotoneFee,
  computeFjordFee,
  computeFjordGas,
  computeIsthmusOperatorFee,
  computeJovianOperatorFee,
  computeRegolithFee,
} from '../../src/rollup/fees/op-stack-fee.ts';

const ONE_GWEI = 1_000_000_000n;

test('FastLZ: sizes match the vectors of op-geth', () => {
  assert.equal(measureFastLz(new Uint8Array(0)), 0);
  assert.equal(measureFastLz(new Uint8Array(1_000).fill(1)), 21);
  assert.equal(measureFastLz(new Uint8Array(1_000)), 21);
  const empty = hexToBytes('0xdd80808094095e7baea6a6c7c4c2dfeb977efac326af552d878080808080');
  assert.equal(measureFastLz(empty), 31);
});

test('FastLZ: incompressible data grows by at most one byte for every 32', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3_000 }), (data) => {
      const size = measureFastLz(data);
      assert.ok(size <= data.length + Math.ceil(data.length / 32), `${size} for ${data.length}`);
      assert.ok(measureFastLz(Uint8Array.from([...data, ...data, ...data])) <= 3 * size + 8);
    }),
  );
});

test('data fees match the vectors of op-geth', () => {
  // The chain's empty transaction has 30 bytes, none of them zero.
  const empty = { zero: 0n, nonZero: 30n };
  const bedrock = { l1BaseFee: ONE_GWEI, overhead: 50n, scalar: 7_000_000n };
  assert.equal(computeBedrockFee(empty, bedrock), 11_326_000_000_000n);
  assert.equal(computeRegolithFee(empty, bedrock), 3_710_000_000_000n);
  const ecotone = {
    l1BaseFee: ONE_GWEI,
    blobBaseFee: 10_000_000n,
    baseFeeScalar: 2n,
    blobBaseFeeScalar: 3n,
  };
  assert.equal(computeEcotoneFee(empty, ecotone), 960_900n);
  for (const size of [0, 31, 170]) {
    assert.equal(computeFjordFee(size, ecotone), 3_203_000n);
    assert.equal(computeFjordGas(size), 1_600n);
  }
});

test('fees and folded tip of a larger transaction match the reference 7.3', () => {
  const prices = {
    l1BaseFee: 2_000_000n,
    blobBaseFee: 3_000_000n,
    baseFeeScalar: 20n,
    blobBaseFeeScalar: 15n,
  };
  const l1Fee = computeFjordFee(235, prices);
  assert.equal(l1Fee, 105_484n);
  assert.equal(computeFjordGas(235), 2_463n);
  const gasLimit = 53_000n;
  const operatorFee = computeIsthmusOperatorFee(gasLimit, { scalar: 1_000n, constant: 5n });
  assert.equal(operatorFee, 58n);
  assert.equal(computeJovianOperatorFee(gasLimit, { scalar: 1_000n, constant: 5n }), 5_300_000_005n);
  const charges = { gasLimit, tip: 1_000_000n, l1Cost: l1Fee + operatorFee };
  assert.equal(foldL1Cost(charges, 'folded'), 1_000_002n);
  assert.equal(foldL1Cost(charges, 'excluded'), 1_000_000n);
});

test('folded tip minus excluded tip, times gas, equals the layer 1 cost up to a wei per gas', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 24n });
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 30_000_000n }), amount, amount, (gasLimit, tip, l1Cost) => {
      const charges = { gasLimit, tip, l1Cost };
      const folded = (foldL1Cost(charges, 'folded') - foldL1Cost(charges, 'excluded')) * gasLimit;
      assert.ok(folded >= l1Cost && folded < l1Cost + gasLimit);
    }),
  );
});

test('a gas limit of zero leaves the tip unchanged', () => {
  assert.equal(foldL1Cost({ gasLimit: 0n, tip: 3n, l1Cost: 9n }, 'folded'), 3n);
});
