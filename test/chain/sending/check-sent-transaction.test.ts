import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashTransaction } from '../../../packages/ethereum/codecs/transaction.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { type Revision, rulesOf } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { recoverPublicKey } from '../../../scripts/chains/secp256k1.ts';
import { ChainError } from '../../../src/chain/errors.ts';
import {
  checkSentTransaction,
  type SendingRules,
} from '../../../src/chain/sending/check-sent-transaction.ts';
import {
  BAD_TRANSACTIONS,
  makeBlobTransaction,
  makeTransaction,
  SENDER,
} from '../../support/bad-transactions.ts';

const sendingRules = (fork?: Revision): SendingRules => ({
  chainId: 1337n,
  allowsUnprotected: false,
  bounds: fork && {
    revision: rulesOf(fork),
    gasLimit: 30_000_000n,
    measureGas: () => ({ intrinsic: 21_000n, floor: 30_000n }),
  },
});

const check = (
  bytes: Uint8Array,
  rules: SendingRules = sendingRules(),
): ReturnType<typeof checkSentTransaction> => checkSentTransaction(bytes, rules, recoverPublicKey);

function refusalOf(bytes: Uint8Array, rules?: SendingRules): string | undefined {
  try {
    check(bytes, rules);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ChainError && error.kind === 'failed', String(error));
    return error.message;
  }
}

describe('checkSentTransaction', () => {
  it('returns the sender and hash of each transaction type', () => {
    for (const type of [0, 1, 2] as const) {
      const bytes = makeTransaction({ type });
      const { transaction, sender, sidecar, size } = check(bytes);
      assert.equal(bytesToHex(sender), SENDER);
      assert.deepEqual(hashTransaction(transaction), keccak256(bytes));
      assert.deepEqual([transaction.type, sidecar, size], [type, undefined, bytes.length]);
    }
  });

  it('refuses an oversized transaction before decoding it, even without block rules', () => {
    const garbage = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(0xff);
    const large = (bytes: number, limit: number): string =>
      `oversized data: transaction size ${bytes}, limit ${limit} (bound: transaction.bytes)`;
    const unread = 'rlp: value size exceeds available input length';
    assert.equal(refusalOf(garbage(131_073), sendingRules('osaka')), large(131_073, 131_072));
    assert.equal(refusalOf(garbage(131_072), sendingRules('osaka')), unread);
    assert.equal(refusalOf(garbage(131_073)), unread);
    assert.equal(refusalOf(garbage(524_289)), large(524_289, 524_288));
    const blobs = garbage(1_048_577);
    blobs[0] = 3;
    assert.equal(refusalOf(blobs), large(1_048_577, 1_048_576));
    assert.equal(refusalOf(blobs, sendingRules('osaka')), large(1_048_577, 1_048_576));
  });

  it('hashes a blob transaction without its sidecar, whatever the sidecar version', () => {
    const plain = check(makeBlobTransaction());
    const versioned = check(makeBlobTransaction({}, { version: 1 }));
    assert.equal(plain.sidecar?.version, 0);
    assert.deepEqual([versioned.sidecar?.version, versioned.sidecar?.proofs], [1, 128]);
    assert.equal(versioned.transaction.encoded[0], 3);
    const hashes = [plain, versioned].map(({ transaction }) => bytesToHex(hashTransaction(transaction)));
    assert.equal(hashes[0], hashes[1]);
    assert.equal(refusalOf(plain.transaction.encoded), 'missing sidecar in blob transaction');
  });

  it('accepts transactions without replay protection only if allowed', () => {
    const bytes = makeTransaction({ type: 0, chainId: undefined });
    assert.match(refusalOf(bytes) ?? '', /^only replay-protected/);
    assert.equal(refusalOf(bytes, { ...sendingRules(), allowsUnprotected: true }), undefined);
  });

  it('enforces fork and gas bounds if they are known', () => {
    const rows: readonly (readonly [Uint8Array, Revision, RegExp])[] = [
      [
        makeTransaction(),
        'berlin',
        /^transaction type not supported: type 2 rejected, pool not yet in London/,
      ],
      [
        makeTransaction({ gasLimit: 20_000n }),
        'london',
        /^intrinsic gas too low: gas 20000, minimum needed 21000/,
      ],
      [makeTransaction({ gasLimit: 29_999n }), 'prague', /^insufficient gas for floor data gas cost/],
      [
        makeTransaction({ gasLimit: 16_777_217n }),
        'osaka',
        /^transaction gas limit too high \(cap: 16777216/,
      ],
      [makeTransaction({ gasLimit: 30_000_001n }), 'london', /^exceeds block gas limit$/],
    ];
    for (const [bytes, fork, expected] of rows) {
      assert.match(refusalOf(bytes, sendingRules(fork)) ?? '', expected);
      assert.equal(refusalOf(bytes), undefined, 'without bounds it is the nodes’ matter');
    }
    assert.equal(refusalOf(makeTransaction({ gasLimit: 16_777_217n }), sendingRules('prague')), undefined);
  });

  it('accepts or refuses arbitrary bytes without other errors', () => {
    for (const { name, bytes } of BAD_TRANSACTIONS.filter((_, i) => i % 7 === 0)) {
      assert.doesNotThrow(() => refusalOf(bytes, sendingRules('osaka')), name);
    }
  });

  it('reports malformed bytes with the errors of geth', () => {
    const rows: Readonly<Record<string, string>> = {
      '0x': 'typed transaction too short',
      '0x02': 'typed transaction too short',
      '0x05c0': 'transaction type not supported',
      '0xc0': 'rlp: too few elements for types.LegacyTx',
      '0x02c0': 'rlp: too few elements for types.DynamicFeeTx',
      '0x0280': 'rlp: expected input list for types.DynamicFeeTx',
      '0x02c100':
        'rlp: non-canonical integer (leading zero bytes) for *big.Int, decoding into (types.DynamicFeeTx).ChainID',
      '0x02f901': 'rlp: value size exceeds available input length',
      '0x03c0': 'unexpected EOF',
    };
    for (const [bytes, message] of Object.entries(rows))
      assert.equal(refusalOf(hexToBytes(bytes)), message, bytes);
  });
});
