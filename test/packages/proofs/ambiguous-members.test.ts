/** Answers with a covered member in a second spelling, or in one that clients read as something else: each spelling has to be the true value. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { computeOrderedRoot } from '../../../packages/ethereum/primitives/ordered-root.ts';
import { encodeRlp } from '../../../packages/ethereum/primitives/rlp.ts';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { encodeTrieReceipt } from '../../../packages/proofs/encode-receipt.ts';
import { encodeTransaction, findTransactionForm } from '../../../packages/proofs/encode-transaction.ts';
import { Findings, type Members } from '../../../packages/proofs/findings.ts';
import { ETHEREUM_FORM } from '../../../packages/proofs/header-forms.ts';
import { UnreadableMember } from '../../../packages/proofs/members.ts';
import type { TransactionForm } from '../../../packages/proofs/transaction-forms.ts';
import { verifyWithdrawals } from '../../../packages/proofs/verify-block.ts';
import { verifyRawBlock } from '../../../packages/proofs/verify-raw.ts';
import { verifyTransaction } from '../../../packages/proofs/verify-transaction.ts';

const ADDRESS = `0x${'22'.repeat(20)}`;
const WORD = `0x${'33'.repeat(32)}`;
const OTHER = `0x${'44'.repeat(32)}`;
const CREATION: Members = {
  from: ADDRESS,
  to: null,
  nonce: '0x0',
  gas: '0x5208',
  gasPrice: '0x1',
  value: '0x1',
  input: '0x',
  v: '0x1b',
  r: '0x2',
  s: '0x3',
};
const AUTHORIZATION: Members = {
  chainId: '0x1',
  address: ADDRESS,
  nonce: '0x1',
  yParity: '0x1',
  r: WORD,
  s: WORD,
};
const DELEGATING: Members = {
  ...CREATION,
  to: ADDRESS,
  type: '0x4',
  chainId: '0x1',
  v: '0x1',
  gasPrice: '0x2',
  accessList: [],
  maxFeePerGas: '0x2',
  maxPriorityFeePerGas: '0x1',
};

/** Returns the transaction with its true hash. */
function seal(transaction: Members): Members {
  const form = findTransactionForm(transaction) as TransactionForm;
  return {
    ...transaction,
    hash: bytesToHex(keccak256(encodeTransaction(transaction, form, new RlpWriter()))),
  };
}

function findingsOf(transaction: Members): readonly string[] {
  const tools = { findings: new Findings(), writer: new RlpWriter() };
  verifyTransaction(transaction, tools, 1n);
  return tools.findings.list.map(({ subject }) => subject);
}

test('a transaction without a recipient has to have null as `to`', () => {
  const right = seal(CREATION);
  assert.deepEqual(findingsOf(right), []);
  for (const to of ['0x', '0x00', `0x${'0'.repeat(40)}`, '', 0, false, []])
    assert.notDeepEqual(findingsOf({ ...right, to }), [], JSON.stringify(to));
});

test('integers have to be hex text or JSON numbers, and decimal text is refused', () => {
  const right = seal({ ...CREATION, nonce: '0x1' });
  assert.deepEqual(findingsOf({ ...right, nonce: 1 }), []);
  for (const nonce of ['1', '01', '0X1', '0x', ' 0x1', 1.5, -1, true])
    assert.notDeepEqual(findingsOf({ ...right, nonce }), [], JSON.stringify(nonce));
  const tools = { findings: new Findings(), writer: new RlpWriter() };
  assert.equal(verifyTransaction({ ...right, nonce: 1 }, tools, 1n)?.facts.nonce, '0x1');
});

test('an authorization has to have the same values in all of its spellings', () => {
  const withItem = (item: Members): Members => ({ ...DELEGATING, authorizationList: [item] });
  const right = seal(withItem(AUTHORIZATION));
  const { r, s, yParity, ...rest } = AUTHORIZATION;
  const inner = { ...rest, signature: { r, s, odd_y_parity: true } };
  for (const item of [
    AUTHORIZATION,
    inner,
    { ...inner, r, s, yParity, v: '0x1' },
    { ...AUTHORIZATION, chain_id: 1 },
  ])
    assert.deepEqual(findingsOf({ ...right, ...withItem(item) }), [], JSON.stringify(item));
  for (const item of [
    { ...inner, r: OTHER, s, yParity },
    { ...inner, yParity: '0x0' },
    { ...AUTHORIZATION, signature: { r, s: OTHER, yParity } },
    { ...AUTHORIZATION, v: '0x0' },
    { ...AUTHORIZATION, odd_y_parity: false },
    { ...AUTHORIZATION, chain_id: '0x2' },
  ])
    assert.notDeepEqual(findingsOf({ ...right, ...withItem(item) }), [], JSON.stringify(item));
});

test('a status cannot be used as a state root', () => {
  const receipt = { type: '0x0', cumulativeGasUsed: '0x1', logsBloom: `0x${'00'.repeat(256)}`, logs: [] };
  const encode = (members: Members): Uint8Array => encodeTrieReceipt(members, 0, new RlpWriter());
  assert.ok(encode({ ...receipt, root: WORD }).length > encode({ ...receipt, status: '0x1' }).length);
  assert.throws(() => encode({ ...receipt, status: WORD }), UnreadableMember);
});

test('members that are fixed for a Nitro transaction type are compared', () => {
  const retryable = {
    ...CREATION,
    type: '0x69',
    chainId: '0x1',
    requestId: WORD,
    l1BaseFee: '0x1',
    depositValue: '0x1',
    retryTo: ADDRESS,
    retryValue: '0x1',
    beneficiary: ADDRESS,
    maxSubmissionFee: '0x1',
    refundTo: ADDRESS,
    retryData: '0x',
    maxFeePerGas: '0x5',
    gasPrice: '0x5',
    to: '0x000000000000000000000000000000000000006e',
    value: '0x0',
    r: '0x0',
    s: '0x0',
    v: '0x0',
  };
  const right = seal(retryable);
  const find = (change: Members): readonly string[] =>
    findingsOf({ ...right, ...change }).filter((subject) => subject !== 'members');
  const before = findingsOf(right);
  for (const change of [{ to: ADDRESS }, { value: '0x1' }, { value: null }, { nonce: '0x1' }])
    assert.ok(findingsOf({ ...right, ...change }).includes('members'), JSON.stringify(change));
  assert.ok(!before.includes('gasPrice'));
  assert.deepEqual(find({ gasPrice: '0x6' }), ['gasPrice']);
});

test('the hashed sender of a type has to equal `from`', () => {
  const message = {
    type: '0x7e',
    queueIndex: '0x1',
    gas: '0x1',
    to: ADDRESS,
    value: '0x0',
    input: '0x',
    sender: ADDRESS,
    nonce: '0x0',
  };
  assert.deepEqual(findingsOf({ ...seal(message), from: ADDRESS }), []);
  assert.deepEqual(findingsOf({ ...seal(message), from: `0x${'55'.repeat(20)}` }), ['from']);
});

test('an encoded block with data after its withdrawals, or a legacy transaction in a string, is refuted', () => {
  const writer = new RlpWriter();
  const legacy = encodeTransaction(CREATION, findTransactionForm(CREATION) as TransactionForm, writer);
  const bytes = (length: number): Uint8Array => new Uint8Array(length);
  const header = [
    bytes(32),
    keccak256(encodeRlp([])),
    bytes(20),
    bytes(32),
    computeOrderedRoot([legacy]),
    ...Array.from({ length: 11 }, () => bytes(1)),
    computeOrderedRoot([]),
  ];
  const item = (raw: Uint8Array): string => bytesToHex(raw).slice(2);
  const list = (...items: readonly string[]): string => {
    const payload = items.join('');
    const size = (payload.length / 2).toString(16);
    const length = size.length % 2 === 0 ? size : `0${size}`;
    return payload.length / 2 < 56
      ? (0xc0 + payload.length / 2).toString(16) + payload
      : (0xf7 + length.length / 2).toString(16) + length + payload;
  };
  const encoded = encodeRlp(header);
  const find = (transaction: string, ...more: readonly string[]): readonly string[] => {
    const findings = new Findings();
    const text = `0x${list(item(encoded), list(transaction), 'c0', 'c0', ...more)}`;
    verifyRawBlock(
      text,
      { hash: bytesToHex(keccak256(encoded)), form: ETHEREUM_FORM },
      { findings, writer: new RlpWriter() },
    );
    return findings.list.map(({ subject }) => subject);
  };
  assert.deepEqual(find(item(legacy)), []);
  assert.deepEqual(find(item(legacy), '82dead'), ['withdrawals']);
  assert.deepEqual(find(item(encodeRlp(legacy))), ['header']);
});

test('more withdrawals than a block can have are refused without hashing', () => {
  const withdrawals = Array.from({ length: 2_000 }, () => ({
    index: '0x1',
    validatorIndex: '0x1',
    address: ADDRESS,
    amount: '0x1',
  }));
  const find = (count: number): readonly (string | undefined)[] => {
    const findings = new Findings();
    const listed = withdrawals.slice(0, count);
    verifyWithdrawals({ withdrawals: listed, withdrawalsRoot: WORD }, { findings, writer: new RlpWriter() });
    return findings.list.map(({ evidence }) => evidence);
  };
  assert.match(String(find(1_024)), /^0x3{64} 0x[0-9a-f]{64}$/);
  assert.match(String(find(1_025)), /cannot be encoded/);
});
