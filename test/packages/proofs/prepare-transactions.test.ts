/** Long transactions are encoded and hashed with pauses, before they are compared. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { Findings, type Members } from '../../../packages/proofs/findings.ts';
import { prepareTransactions } from '../../../packages/proofs/prepare-transactions.ts';
import { findSigner, verifyTransaction } from '../../../packages/proofs/verify-transaction.ts';

const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;
const ADDRESS = `0x${'11'.repeat(20)}`;
const SIGNATURE = { v: '0x0', r: '0x1', s: '0x1' };
const COMMON = {
  chainId: '0x1',
  nonce: '0x0',
  gas: '0x1',
  to: ADDRESS,
  value: '0x0',
  input: '0x',
  ...SIGNATURE,
};
const FEES = { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' };

/** A list that counts reads of its items. */
function countReads(
  length: number,
  make: (index: number) => Members,
): { list: Members[]; reads: () => number } {
  let reads = 0;
  const list = Array.from({ length }, (_, index) => {
    const { address, ...others } = make(index);
    return {
      ...others,
      get address() {
        reads++;
        return address;
      },
    };
  });
  return { list, reads: () => reads };
}

const authorize = (index: number): Members => ({
  chainId: '0x1',
  address: ADDRESS,
  nonce: `0x${index.toString(16)}`,
  yParity: '0x1',
  r: word(1),
  s: word(2),
});

/** Transactions that are long in each possible way, with the number of reads of their lists' items. */
function createLong(): readonly { readonly transaction: Members; readonly reads: () => number }[] {
  const entries = countReads(5_000, () => ({ address: ADDRESS, storageKeys: [] }));
  const keys = Array.from({ length: 5_000 }, (_, index) => word(index));
  const wide = countReads(3, () => ({ address: ADDRESS, storageKeys: keys }));
  const authorizations = countReads(5_000, authorize);
  const none = (): number => 0;
  return [
    {
      transaction: { ...COMMON, type: '0x1', gasPrice: '0x1', accessList: entries.list },
      reads: entries.reads,
    },
    { transaction: { ...COMMON, ...FEES, type: '0x2', accessList: wide.list }, reads: none },
    {
      transaction: {
        ...COMMON,
        ...FEES,
        type: '0x3',
        maxFeePerBlobGas: '0x1',
        accessList: [],
        blobVersionedHashes: keys,
      },
      reads: none,
    },
    {
      transaction: {
        ...COMMON,
        ...FEES,
        type: '0x4',
        accessList: [],
        authorizationList: authorizations.list,
      },
      reads: authorizations.reads,
    },
    {
      transaction: { ...COMMON, v: '0x25', gasPrice: '0x1', input: `0x${'ab'.repeat(300_000)}` },
      reads: none,
    },
  ];
}

const open = () => ({ findings: new Findings(), writer: new RlpWriter() });

/** Returns the signed hash that recovery is called with. */
const signedHashOf = (transaction: Members): unknown => {
  let signed: unknown;
  findSigner(transaction, new RlpWriter(), (hash) => {
    signed = hash;
    return new Uint8Array(64);
  });
  return signed;
};

test('prepared transactions have the same result as others, and are not encoded again', () => {
  const plain = createLong();
  for (const [i, { transaction, reads }] of createLong().entries()) {
    const same = (plain[i] as (typeof plain)[number]).transaction;
    let most = 0;
    let pauses = 0;
    let before = 0;
    for (const _ of prepareTransactions([transaction])) {
      most = Math.max(most, reads() - before);
      before = reads();
      pauses++;
    }
    assert.ok(most <= 64, `${most} items are read between two pauses`);
    assert.ok(pauses > 3, `${pauses} pauses`);
    before = reads();
    const [tools, others] = [open(), open()];
    assert.deepEqual(verifyTransaction(transaction, tools, 1n), verifyTransaction(same, others, 1n));
    assert.deepEqual(tools.findings.list, others.findings.list);
    assert.deepEqual(signedHashOf(transaction), signedHashOf(same));
    assert.equal(reads(), before);
  }
});

test('an invalid transaction is found by the comparison, and short transactions are not prepared', () => {
  const bad = [
    ...Array.from({ length: 100 }, () => ({ address: ADDRESS, storageKeys: [] })),
    { address: 'no' },
  ];
  const transaction = { ...COMMON, type: '0x1', gasPrice: '0x1', accessList: bad };
  for (const _ of prepareTransactions({ transactions: [transaction, null, 1] }));
  const tools = open();
  assert.equal(verifyTransaction(transaction, tools, 1n), undefined);
  assert.match(String(tools.findings.list[0]?.text), /storageKeys cannot be read/);
  const short = countReads(20, () => ({ address: ADDRESS, storageKeys: [word(1)] }));
  const work = prepareTransactions({ ...COMMON, type: '0x1', gasPrice: '0x1', accessList: short.list });
  assert.equal(work.next().done, true);
  assert.equal(short.reads(), 0);
});
