import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Transaction } from 'ethers';
import { serializeTransaction } from 'viem';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { ChainError } from '../../src/chain/errors.ts';
import type { CallObject } from '../../src/chain/requests.ts';
import { encodeSigningBytes, inferPayloadType } from '../../src/rollup/estimate/signing-payload.ts';

const TO = '0x52908400098527886e0f7030069857d2e4169ee7';
const KEY = `0x${'11'.repeat(32)}`;
const DEFAULTS = { chainId: 59144n, nonce: 9n, gasLimit: 53_000n, gasPrice: 7n };
const ACCESS_LIST = [{ address: TO, storageKeys: [KEY, `0x${'00'.repeat(32)}`] }];

function encode(call: CallObject): string {
  return bytesToHex(encodeSigningBytes(call, DEFAULTS));
}

test('legacy: the EIP-155 payload equals that of ethers', () => {
  const expected = Transaction.from({
    type: 0,
    chainId: 59144n,
    nonce: 9,
    gasLimit: 53_000n,
    gasPrice: 1_000_000_007n,
    to: TO,
    value: 5n,
    data: '0xdeadbeef',
  }).unsignedSerialized;
  assert.equal(encode({ to: TO, gasPrice: '0x3b9aca07', value: '0x5', data: '0xdeadbeef' }), expected);
});

test('legacy: a creation has the default gas price', () => {
  const expected = Transaction.from({
    type: 0,
    chainId: 59144n,
    nonce: 9,
    gasLimit: 53_000n,
    gasPrice: 7n,
    data: '0x6000',
  }).unsignedSerialized;
  assert.equal(encode({ input: '0x6000' }), expected);
});

test('access list: the payload has type 1', () => {
  const expected = Transaction.from({
    type: 1,
    chainId: 59144n,
    nonce: 9,
    gasLimit: 53_000n,
    gasPrice: 7n,
    to: TO,
    accessList: ACCESS_LIST,
  }).unsignedSerialized;
  assert.equal(encode({ to: TO, accessList: ACCESS_LIST }), expected);
});

test('fee caps: the payload has type 2, with zero for absent fields', () => {
  const expected = Transaction.from({
    type: 2,
    chainId: 59144n,
    nonce: 9,
    gasLimit: 53_000n,
    maxFeePerGas: 100n,
    maxPriorityFeePerGas: 0n,
    to: TO,
    data: '0x01',
    accessList: ACCESS_LIST,
  }).unsignedSerialized;
  assert.equal(encode({ to: TO, maxFeePerGas: '0x64', data: '0x01', accessList: ACCESS_LIST }), expected);
});

test('authorizations: the payload has type 4, and equals that of viem', () => {
  const authorization = { chainId: 59144, address: TO, nonce: 3, yParity: 1, r: KEY, s: KEY } as const;
  const expected = serializeTransaction({
    type: 'eip7702',
    chainId: 59144,
    nonce: 9,
    gas: 53_000n,
    to: TO,
    authorizationList: [{ ...authorization, r: `0x${'11'.repeat(32)}`, s: `0x${'11'.repeat(32)}` }],
  });
  const entry = { ...authorization, chainId: '0xe708', nonce: '0x3', yParity: '0x1' };
  assert.equal(encode({ to: TO, authorizationList: [entry] }), expected);
});

test('type: the lowest that supports the fields, or the requested one', () => {
  const typeOf = (call: CallObject): number => inferPayloadType(call);
  assert.equal(typeOf({}), 0);
  assert.equal(typeOf({ gasPrice: '0x1' }), 0);
  assert.equal(typeOf({ type: '0x1' }), 1);
  assert.equal(typeOf({ type: '0x2' }), 2);
  assert.equal(typeOf({ type: '0x0', accessList: [] }), 1);
  assert.equal(typeOf({ type: '0x1', maxPriorityFeePerGas: '0x0' }), 2);
  assert.equal(typeOf({ type: '0x2', authorizationList: [] }), 4);
});

test('type: blobs and unknown types are refused', () => {
  const refused = new ChainError('invalid', 'Unsupported transaction type');
  for (const call of [
    { type: '0x3' },
    { type: '0x5' },
    { type: '0x7f' },
    { blobVersionedHashes: [] },
    { maxFeePerBlobGas: '0x1' },
  ]) {
    assert.throws(() => inferPayloadType(call), refused, JSON.stringify(call));
  }
});
