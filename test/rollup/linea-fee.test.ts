import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { boundCompressedSize } from '../../src/rollup/linea/compressed-size.ts';
import { type LineaPricing, parseLineaExtraData } from '../../src/rollup/linea/extra-data.ts';
import { computeLineaCompatibilityFee, computeLineaPriorityFee } from '../../src/rollup/linea/fee.ts';

const EXAMPLE = `0x010000753000f54e650000ea60${'00'.repeat(19)}`;

test('extraData: the example header is parsed', () => {
  assert.deepEqual(parseLineaExtraData(EXAMPLE), {
    fixedCost: 30_000_000n,
    variableCost: 16_076_389_000n,
    ethGasPrice: 60_000_000n,
  });
});

test('extraData: the vector of the Linea SDK, without padding, is parsed', () => {
  assert.deepEqual(parseLineaExtraData('0x0100000064000000c80000012c'), {
    fixedCost: 100_000n,
    variableCost: 200_000n,
    ethGasPrice: 300_000n,
  });
});

test('extraData: empty, short and foreign fields have no prices', () => {
  const oneByteShort = '0x0100000064000000c8000001';
  for (const field of ['0x', '0x01', oneByteShort, `0x02${EXAMPLE.slice(4)}`, `0x00${EXAMPLE.slice(4)}`]) {
    assert.equal(parseLineaExtraData(field), undefined, field);
  }
});

test('extraData: the largest numbers are parsed as unsigned', () => {
  const most = 0xffff_ffffn * 1000n;
  assert.deepEqual(parseLineaExtraData(`0x01${'ff'.repeat(12)}`), {
    fixedCost: most,
    variableCost: most,
    ethGasPrice: most,
  });
});

test('priority fee: matches the published Linea example', () => {
  const pricing = parseLineaExtraData(EXAMPLE);
  assert.ok(pricing);
  assert.equal(computeLineaPriorityFee(pricing, 96, 53_000n), 0x43a82a4n);
});

test('priority fee: refuses a gas limit of zero', () => {
  const pricing = { fixedCost: 1n, variableCost: 1n, ethGasPrice: 1n };
  assert.throws(() => computeLineaPriorityFee(pricing, 96, 0n), RangeError);
});

test('priority fee: equals floating-point arithmetic within its precision', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 0xffff_ffff }),
      fc.nat({ max: 0xffff_ffff }),
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 21_000, max: 24_000_000 }),
      (fixed, variable, words, gas) => {
        const pricing: LineaPricing = {
          fixedCost: BigInt(fixed) * 1000n,
          variableCost: BigInt(variable) * 1000n,
          ethGasPrice: 0n,
        };
        const inner = (pricing.variableCost * BigInt(words * 32)) / BigInt(gas) + pricing.fixedCost;
        fc.pre(inner < 2n ** 50n);
        const exact = computeLineaPriorityFee(pricing, words * 32, BigInt(gas));
        const difference = Math.abs(Number(exact) - Math.trunc(1.2 * Number(inner)));
        assert.ok(difference <= 1, `${exact} for inner ${inner}`);
      },
    ),
  );
});

test('compatibility fee: is rounded up, and zero unless the gas price exceeds the base fee', () => {
  assert.equal(computeLineaCompatibilityFee(60_000_000n, 7n), 71_999_992n);
  assert.equal(computeLineaCompatibilityFee(8n, 7n), 2n);
  assert.equal(computeLineaCompatibilityFee(7n, 7n), 0n);
  assert.equal(computeLineaCompatibilityFee(6n, 7n), 0n);
});

test('compressed size: matches reference lengths', () => {
  for (const [length, size] of [
    [66, 96],
    [130, 160],
    [320, 352],
    [1020, 1056],
  ] as const) {
    assert.equal(boundCompressedSize(length), size);
  }
});

test('compressed size: is the least number of whole field elements with room for every bit', () => {
  fc.assert(
    fc.property(fc.nat({ max: 131_072 }), (length) => {
      const size = boundCompressedSize(length);
      const bits = (size / 32) * 254;
      assert.equal(size % 32, 0);
      assert.ok(bits >= 8 * (length + 3));
      assert.ok(bits - 254 < 8 * (length + 3));
    }),
  );
});
