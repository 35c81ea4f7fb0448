/** Null in place of a list that a root or a hash commits to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_TRIE_ROOT } from '../../../packages/ethereum/primitives/keccak.ts';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { encodeTransaction, findTransactionForm } from '../../../packages/proofs/encode-transaction.ts';
import { Findings, type Members } from '../../../packages/proofs/findings.ts';
import type { TransactionForm } from '../../../packages/proofs/transaction-forms.ts';
import { verifyWithdrawals } from '../../../packages/proofs/verify-block.ts';

const EMPTY_ROOT = bytesToHex(EMPTY_TRIE_ROOT);
const OTHER_ROOT = `0x${'33'.repeat(32)}`;
const ADDRESS = `0x${'11'.repeat(20)}`;

test('null withdrawals need the empty root, or none, in the header', () => {
  const find = (block: Members): readonly string[] => {
    const findings = new Findings();
    verifyWithdrawals(block, { findings, writer: new RlpWriter() });
    return findings.list.map(({ subject }) => subject);
  };
  assert.deepEqual(find({ withdrawals: null, withdrawalsRoot: EMPTY_ROOT }), []);
  assert.deepEqual(find({ withdrawals: null, withdrawalsRoot: null }), []);
  assert.deepEqual(find({ withdrawals: null, withdrawalsRoot: OTHER_ROOT }), ['withdrawals']);
  assert.deepEqual(find({ withdrawalsRoot: EMPTY_ROOT }), ['withdrawals']);
});

test('a null access list is encoded like an empty one', () => {
  const common = { chainId: '0x1', nonce: '0x0', gas: '0x1', to: ADDRESS, value: '0x0', input: '0x' };
  const signature = { v: '0x0', yParity: '0x0', r: '0x1', s: '0x1' };
  const fees = { gasPrice: '0x1', maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' };
  for (const type of ['0x1', '0x2']) {
    const encode = (list: Members): Uint8Array => {
      const transaction = { ...common, ...signature, ...fees, type, ...list };
      return encodeTransaction(
        transaction,
        findTransactionForm(transaction) as TransactionForm,
        new RlpWriter(),
      );
    };
    assert.deepEqual(encode({ accessList: null }), encode({ accessList: [] }));
    assert.throws(() => encode({}), { name: 'UnreadableMember' });
    const entry = { address: ADDRESS, storageKeys: [] };
    assert.notDeepEqual(encode({ accessList: [entry] }), encode({ accessList: null }));
  }
});
