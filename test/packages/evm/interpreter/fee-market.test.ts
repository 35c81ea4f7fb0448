import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeBlobGasPrice } from '../../../../packages/evm/interpreter/fee-market.ts';

test('the blob gas price is at most 2^256 - 1, and is computed at once for any excess', () => {
  assert.equal(computeBlobGasPrice(0n, 1n), 1n);
  assert.equal(computeBlobGasPrice(10_000_000n, 3_338_477n), 19n);
  const max = 2n ** 256n - 1n;
  assert.ok(computeBlobGasPrice(1_770n, 10n) < max);
  assert.equal(computeBlobGasPrice(1_779n, 10n), max);
  assert.equal(computeBlobGasPrice(2n ** 64n - 1n, 1n), max);
});
