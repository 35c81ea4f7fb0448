import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { encodeCall } from '../../scripts/chains/encode-call.ts';
import { encodeBytesCall } from '../../src/rollup/contract.ts';
import { computePosterGas } from './arbitrum-poster.ts';

test("computePosterGas applies Arbitrum's padding at the minimum price and above it", () => {
  assert.equal(computePosterGas(10n ** 13n, 100_000_000n, 100_000_000n), 110_000n);
  assert.equal(computePosterGas(10n ** 13n, 200_000_000n, 100_000_000n), 62_857n);
});

test('calls of getL1Fee and gasEstimateComponents are encoded by the ABI', () => {
  const data = Uint8Array.from({ length: 33 }, (_, i) => i + 1);
  const word = (value: string): string => value.padStart(64, '0');
  const tail = `${word('21')}${bytesToHex(data).slice(2)}${'00'.repeat(31)}`;
  assert.equal(encodeBytesCall('0x49948e0e', data), `0x49948e0e${word('20')}${tail}`);
  const to = hexToBytes(`0x${'b0'.repeat(20)}`);
  const components = encodeCall('gasEstimateComponents(address,bool,bytes)', to, 1n, { bytes: data });
  assert.equal(bytesToHex(components), `0xc94e6eeb${word('b0'.repeat(20))}${word('1')}${word('60')}${tail}`);
});
