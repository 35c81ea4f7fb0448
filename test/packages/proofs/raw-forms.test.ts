import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { encodeTransaction, findTransactionForm } from '../../../packages/proofs/encode-transaction.ts';
import { Findings, type Members } from '../../../packages/proofs/findings.ts';
import { writeHeader } from '../../../packages/proofs/hash-header.ts';
import type { TransactionForm } from '../../../packages/proofs/transaction-forms.ts';
import { verifyHeader } from '../../../packages/proofs/verify-block.ts';
import { verifyRawBlock, verifyRawHeader } from '../../../packages/proofs/verify-raw.ts';
import { SKIP_REASON } from '../../support/vectors.ts';
import { readSamples, type Sample } from './samples.ts';

/** Parts behind the uncles of Avalanche's blocks: a version, and transfers between its chains. */
const AVALANCHE_REST: readonly string[] = ['0x0', '0x'];

/** Recorded blocks without uncles and withdrawals, with all transactions. */
const samples = (readSamples() ?? []).filter(({ block, expected }) => {
  const { transactions, uncles, withdrawals } = block;
  const isWhole = Array.isArray(transactions) && transactions.every((each) => typeof each === 'object');
  const isPlain =
    Array.isArray(uncles) && uncles.length === 0 && !(Array.isArray(withdrawals) && withdrawals.length > 0);
  return isWhole && isPlain && expected.header === 'OK' && expected.transactions === 'OK';
});

function readHeader({ block }: Sample) {
  const tools = { findings: new Findings(), writer: new RlpWriter() };
  const header = verifyHeader(block, String(block['hash']), tools);
  assert.ok(header !== undefined);
  return header;
}

function encode({ block, family }: Sample, transactions: readonly Members[]): string {
  const { form } = readHeader({ block } as Sample);
  const writer = new RlpWriter();
  const mark = writer.mark;
  // The writer writes from the end to the beginning.
  if (family === 'avalanche')
    for (const item of AVALANCHE_REST) assert.ok(item === '0x' ? writer.data(item) : writer.quantity(item));
  else if (block['withdrawalsRoot'] != null) writer.list(writer.mark);
  writer.list(writer.mark);
  const list = writer.mark;
  for (const transaction of transactions.toReversed()) {
    const shape = findTransactionForm(transaction) as TransactionForm;
    const bytes = encodeTransaction(transaction, shape, writer);
    if (shape.type === undefined) writer.raw(bytes);
    else writer.bytes(bytes);
  }
  writer.list(list);
  writeHeader(block, form, writer);
  writer.list(mark);
  return bytesToHex(writer.take(mark));
}

function findIn(text: string, sample: Sample): Findings {
  const findings = new Findings();
  verifyRawBlock(text, readHeader(sample), { findings, writer: new RlpWriter() });
  return findings;
}

test('encoded blocks of all header forms have no contradictions, and without one transaction they have some', {
  skip: samples.length === 0 && SKIP_REASON,
}, () => {
  const forms = new Set<string>();
  for (const sample of samples) {
    const transactions = sample.block['transactions'] as readonly Members[];
    const { form } = readHeader(sample);
    forms.add(form.name);
    const { list } = findIn(encode(sample, transactions), sample);
    assert.ok(
      list.every(({ kind }) => kind === 'unknown'),
      `${sample.name}: ${JSON.stringify(list)}`,
    );
    if (form.name === 'ethereum') assert.deepEqual(list, [], sample.name);
    if (transactions.length === 0 || form.outer !== undefined) continue;
    assert.ok(findIn(encode(sample, transactions.slice(1)), sample).has('transactions'), sample.name);
  }
  assert.ok(forms.size >= 4, [...forms].join());
});

test('an encoded header of any form matches its block, and with any byte changed does not', {
  skip: samples.length === 0 && SKIP_REASON,
}, () => {
  let changed = 0;
  for (const sample of samples) {
    const { form, hash } = readHeader(sample);
    const writer = new RlpWriter();
    const { mark } = writer;
    writeHeader(sample.block, form, writer);
    const bytes = writer.take(mark);
    const find = (encoded: Uint8Array): Findings['list'] => {
      const tools = { findings: new Findings(), writer };
      verifyRawHeader(bytesToHex(encoded), hash, tools);
      return tools.findings.list;
    };
    assert.deepEqual(find(bytes), [], sample.name);
    for (let i = 0; i < bytes.length; i += 7, changed++) {
      const other = Uint8Array.from(bytes);
      other[i] = (other[i] as number) ^ 1;
      assert.equal(find(other)[0]?.subject, 'header', `${sample.name}: byte ${i}`);
    }
  }
  assert.ok(changed > 1_000, `${changed} changes`);
});
