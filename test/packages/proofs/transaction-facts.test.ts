import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { Findings, type Members } from '../../../packages/proofs/findings.ts';
import { ETHEREUM_FORM } from '../../../packages/proofs/header-forms.ts';
import { KnownTransactions } from '../../../packages/proofs/known-transactions.ts';
import { verifyReceipts } from '../../../packages/proofs/verify-receipts.ts';
import {
  readUncovered,
  type VerifiedFacts,
  verifyTransaction,
} from '../../../packages/proofs/verify-transaction.ts';

const ADDRESS = `0x${'22'.repeat(20)}`;
const HASH = `0x${'33'.repeat(32)}`;
const SIGNATURE: Members = { v: '0x1', r: '0x2', s: '0x3' };
const BODY: Members = { from: ADDRESS, to: ADDRESS, nonce: '0x5', gas: '0x5208', value: '0x0', input: '0x' };
const FEES: Members = { maxFeePerGas: '0x2', maxPriorityFeePerGas: '0x1', accessList: [], chainId: '0x1' };

function readFacts(transaction: Members): VerifiedFacts | undefined {
  const tools = { findings: new Findings(), writer: new RlpWriter() };
  return verifyTransaction(transaction, tools, 1n)?.facts;
}

test('a sender that is neither signed nor hashed is not a verified fact', () => {
  const internal = { ...BODY, type: '0x6a', chainId: '0x1' };
  assert.equal(readFacts(internal)?.from, undefined);
  const unsigned = { ...BODY, ...FEES, type: '0x2', v: '0x0', r: '0x0', s: '0x0' };
  assert.equal(readFacts(unsigned)?.from, undefined);
  const signed = { ...BODY, ...FEES, ...SIGNATURE, type: '0x2' };
  assert.equal(readFacts(signed)?.from, ADDRESS);
});

test('the sender of a deposit is a verified fact, its nonce is not', () => {
  const deposit = { ...BODY, type: '0x7e', sourceHash: HASH, mint: '0x0', isSystemTx: false };
  const facts = readFacts(deposit);
  assert.equal(facts?.from, ADDRESS);
  assert.equal(facts?.nonce, undefined);
});

test('blob hashes of a transaction type without blobs are ignored', () => {
  const transaction = { ...BODY, ...FEES, ...SIGNATURE, type: '0x2', blobVersionedHashes: [HASH] };
  assert.equal(readFacts(transaction)?.blobs, 0);
});

test('a receipt that no root covers is refuted if its logs are unreadable, without throwing', () => {
  const zero = `0x${'0'.repeat(40)}`;
  const facts: VerifiedFacts = {
    hash: HASH,
    type: 0,
    from: zero,
    to: zero,
    nonce: '0x0',
    gasPrice: undefined,
    blobs: 0,
    isUncovered: true,
  };
  const header = {
    form: ETHEREUM_FORM,
    hash: HASH,
    number: 1n,
    timestamp: 1n,
    baseFeePerGas: undefined,
    parentHash: HASH,
    receiptsRoot: HASH,
    stateRoot: HASH,
    unclesHash: HASH,
    logsBloom: '0x',
    accessListHash: undefined,
  };
  for (const logs of [undefined, null, 5, [null]]) {
    const tools = { findings: new Findings(), writer: new RlpWriter() };
    verifyReceipts([{ cumulativeGasUsed: '0x0', logs }], header, KnownTransactions.of([facts]), tools);
    const receipts = tools.findings.list.find(({ subject }) => subject === 'receipts');
    assert.equal(receipts?.kind, 'contradicts');
  }
});

test('a transaction that no root covers is refused with a text longer than a hash as its hash', () => {
  const zero = `0x${'0'.repeat(40)}`;
  const transaction = { from: zero, to: zero, gas: '0x0', r: '0x0', s: '0x0', v: '0x0', nonce: '0x0' };
  const rest = { type: '0x0', gasPrice: '0x0', value: '0x0', input: '0x' };
  const read = (hash: string) => readUncovered({ ...transaction, ...rest, hash }, new RlpWriter());
  assert.equal(read(HASH)?.hash, HASH);
  assert.equal(read(`0x${'ab'.repeat(1 << 20)}`), undefined);
});

test('an invalid type counts as an unknown form, with bounded evidence', () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
  for (const type of [{ toString: 1 }, { valueOf: null }, deep, '0x'.padEnd(100_000, '1')]) {
    const tools = { findings: new Findings(), writer: new RlpWriter() };
    assert.equal(verifyTransaction({ ...BODY, type }, tools, 1n), undefined);
    const [finding] = tools.findings.list;
    assert.equal(finding?.kind, 'unknown');
    assert.ok((finding?.evidence?.length ?? 0) <= 512);
  }
});

test('an invalid sender is refuted with evidence, because other chains may have such senders', () => {
  const tools = { findings: new Findings(), writer: new RlpWriter() };
  verifyTransaction({ ...BODY, ...FEES, ...SIGNATURE, type: '0x2', from: '0x' }, tools, 1n);
  const finding = tools.findings.list.find(({ subject }) => subject === 'from');
  assert.notEqual(finding?.evidence, undefined);
});
