/** All implementations of key recovery give the same account, and refuse the same signatures. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type Authorization,
  assembleTransaction,
  encodeSigningPayload,
  recoverAuthority,
  recoverSender,
  type Transaction,
  type TransactionBody,
} from '../../packages/ethereum/codecs/transaction.ts';
import { bigIntToFixedBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import type { RecoverPublicKey, Signature } from '../../packages/ethereum/primitives/signature.ts';
import { createMclRecovery } from '../../packages/evm/cryptography/secp256k1-mcl.ts';
import { privateKeyToAddress, recoverPublicKey, signHash } from '../../scripts/chains/secp256k1.ts';
import { createRecovery } from '../../src/engine/native-recovery.ts';
import { NODE_MCL } from '../../src/engine/node-cryptography.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const RUNS = 40;
/** Recoveries of the engine; the JavaScript one gives the expected keys. */
const RECOVERIES: readonly RecoverPublicKey[] = [createRecovery(NODE_MCL), createMclRecovery(NODE_MCL)];

const address = fc.uint8Array({ minLength: 20, maxLength: 20 });
const word = fc.uint8Array({ minLength: 32, maxLength: 32 });
const uint64 = fc.bigInt(0n, 2n ** 64n - 1n);
const key = fc.bigInt(1n, ORDER - 1n).map((value) => bigIntToFixedBytes(value, 32));
const scalar = fc.oneof(
  { weight: 2, arbitrary: fc.bigInt(1n, ORDER - 1n) },
  { weight: 1, arbitrary: fc.constantFrom(0n, 1n, ORDER - 1n, ORDER, ORDER + 1n, 2n ** 256n - 1n) },
);
const anySignature: fc.Arbitrary<Signature> = fc.record({ r: scalar, s: scalar, yParity: fc.nat(2) });

const body: fc.Arbitrary<TransactionBody> = fc.record({
  type: fc.constantFrom(0, 1, 2, 3, 4),
  chainId: uint64,
  nonce: uint64,
  gasLimit: uint64,
  maxFeePerGas: uint64,
  maxPriorityFeePerGas: uint64,
  to: address,
  value: uint64,
  data: fc.uint8Array({ maxLength: 200 }),
  accessList: fc.array(fc.record({ address, storageKeys: fc.array(word, { maxLength: 2 }) }), {
    maxLength: 2,
  }),
  maxFeePerBlobGas: uint64,
  blobVersionedHashes: fc.array(word, { maxLength: 2 }),
  authorizationList: fc.constant([]),
});

/** Returns the key's other valid signature, with s replaced by the group order minus s. */
function turnS({ r, s, yParity }: Signature): Signature {
  return { r, s: ORDER - s, yParity: 1 - yParity };
}

function describeSender(tx: Transaction, recover: RecoverPublicKey = recoverPublicKey): string {
  try {
    return bytesToHex(recoverSender(tx, recover));
  } catch (error) {
    assert.ok(error instanceof RangeError);
    return error.message;
  }
}

function describeAuthority(
  authorization: Authorization,
  recover: RecoverPublicKey = recoverPublicKey,
): string {
  try {
    return bytesToHex(recoverAuthority(authorization, recover));
  } catch (error) {
    assert.ok(error instanceof RangeError);
    return error.message;
  }
}

describe('sender recovery', () => {
  test('recovers the signer from signatures with low and with high s', () => {
    const property = fc.property(body, key, (unsigned, privateKey) => {
      const signature = signHash(keccak256(encodeSigningPayload(unsigned)), privateKey);
      const expected = bytesToHex(privateKeyToAddress(privateKey));
      for (const one of [signature, turnS(signature)]) {
        const tx = assembleTransaction(unsigned, one);
        assert.equal(describeSender(tx), expected);
        for (const recover of RECOVERIES) assert.equal(describeSender(tx, recover), expected);
      }
    });
    fc.assert(property, { numRuns: RUNS });
  });

  test('all implementations agree on arbitrary signatures: the same account or a refusal', () => {
    const property = fc.property(body, anySignature, (unsigned, signature) => {
      const tx = { ...assembleTransaction(unsigned, { r: 1n, s: 1n, yParity: 0 }), signature };
      const expected = describeSender(tx);
      for (const recover of RECOVERIES) assert.equal(describeSender(tx, recover), expected);
    });
    fc.assert(property, { numRuns: 2 * RUNS });
  });

  test('out-of-range signature values are refused before any implementation is called', () => {
    const signed = assembleTransaction(fc.sample(body, { numRuns: 1, seed: 7 })[0] as TransactionBody, {
      r: 1n,
      s: 1n,
      yParity: 0,
    });
    const accepts: RecoverPublicKey = () => new Uint8Array(64);
    for (const wrong of [{ r: 0n }, { s: 0n }, { r: ORDER }, { s: ORDER }, { yParity: 2 }]) {
      const tx = { ...signed, signature: { ...signed.signature, ...wrong } };
      assert.throws(() => recoverSender(tx, accepts), /^RangeError: invalid transaction v, r, s values$/);
    }
  });
});

test('all implementations agree on the authorities of delegations', () => {
  const authorization = fc.record({ chainId: uint64, address, nonce: uint64, signature: anySignature });
  const property = fc.property(authorization, (any) => {
    const expected = describeAuthority(any);
    for (const recover of RECOVERIES) assert.equal(describeAuthority(any, recover), expected);
  });
  fc.assert(property, { numRuns: 2 * RUNS });
});
