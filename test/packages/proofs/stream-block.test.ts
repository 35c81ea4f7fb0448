/** Blocks whose text outside of the transactions is large. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BLANK_HEADER, hashHeader } from '../../../packages/ethereum/codecs/header.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_LIST_HASH } from '../../../packages/ethereum/primitives/keccak.ts';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { Findings } from '../../../packages/proofs/findings.ts';
import { BlockStream, type StreamedBlock } from '../../../packages/proofs/stream-block.ts';
import { encodeHeaderJson } from '../../../src/chain/block-json.ts';
import { SKIP_REASON } from '../../support/vectors.ts';
import { readSamples, verifySample } from './samples.ts';

const MEGABYTE = 1 << 20;

test('a block that is too large without its transactions is refuted, and not buffered', () => {
  for (const begin of ['{"transactions":[{}],', '{"number":1,']) {
    const findings = new Findings();
    const stream = new BlockStream({
      hash: `0x${'11'.repeat(32)}`,
      tools: { findings, writer: new RlpWriter() },
      header: undefined,
      requestHeader: () => undefined,
      maxTransactions: 1_000,
      verifySender: () => {},
      isEverySender: false,
    });
    const add = (text: string): unknown => stream.add(Buffer.from(text));
    add(begin);
    for (let i = 0; i < 6; i++) add(`"${i}":"${'x'.repeat(MEGABYTE)}",`);
    add('"transactions":[{}]}');
    const { block, header, transactions } = stream.finish() as StreamedBlock;
    assert.deepEqual([block, header, transactions], [{}, undefined, undefined]);
    assert.deepEqual(
      findings.list.map(({ subject, kind, text }) => [subject, kind, text]),
      [['header', 'contradicts', 'the block is too large without its transactions']],
    );
  }
});

test('a block with a transaction that is too large is unverifiable, and not refuted', () => {
  const findings = new Findings();
  const header = {
    ...BLANK_HEADER,
    ommersHash: EMPTY_LIST_HASH,
    transactionsRoot: hexToBytes(`0x${'22'.repeat(32)}`),
  };
  const hash = bytesToHex(hashHeader(header));
  const stream = new BlockStream({
    hash,
    tools: { findings, writer: new RlpWriter() },
    header: undefined,
    requestHeader: () => undefined,
    maxTransactions: 1_000,
    verifySender: () => {},
    isEverySender: false,
  });
  stream.add(Buffer.from(`${encodeHeaderJson(header, hash).slice(0, -1)},"uncles":[],"transactions":["`));
  for (let i = 0; i < 33; i++) stream.add(Buffer.from('x'.repeat(MEGABYTE)));
  stream.add(Buffer.from('"]}'));
  const { header: verified, transactions } = stream.finish() as StreamedBlock;
  assert.equal(verified?.hash, hash);
  assert.equal(transactions, undefined);
  assert.deepEqual(
    findings.list.map(({ subject, kind, text }) => [subject, kind, text]),
    [['transactions', 'unknown', 'a transaction is too large to be verified']],
  );
});

const samples = readSamples()?.filter(({ block, expected }) => {
  const { transactions: list } = block;
  const isWhole = Array.isArray(list) && list.length > 0 && typeof list[0] === 'object';
  return isWhole && expected.header.startsWith('OK') && expected.transactions.startsWith('OK');
});

test('recorded blocks are verified while they arrive, in any order of their members', {
  skip: samples === undefined && SKIP_REASON,
}, () => {
  let count = 0;
  for (const { name, block } of samples ?? []) {
    const members = Object.entries(block);
    const isList = ([member]: readonly [string, unknown]): boolean => member === 'transactions';
    const orders = [
      members.toSorted(([one], [other]) => (one < other ? -1 : 1)),
      [...members.filter((each) => !isList(each)), ...members.filter(isList)],
      [...members.filter(isList), ...members.filter((each) => !isList(each))],
    ];
    const { header, findings: whole } = verifySample(block, undefined);
    // Some samples lack members that answers have.
    if (whole.list.length > 0) continue;
    count++;
    for (const [order, entries] of orders.entries()) {
      const findings = new Findings();
      const stream = new BlockStream({
        hash: String(block['hash']),
        tools: { findings, writer: new RlpWriter() },
        header: undefined,
        requestHeader: () => header,
        maxTransactions: 10_000,
        verifySender: () => {},
        isEverySender: false,
      });
      const text = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
      for (let at = 0; at < text.length; at += 10_000) stream.add(text.subarray(at, at + 10_000));
      const { header: found, transactions } = stream.finish() as StreamedBlock;
      assert.deepEqual(findings.list, [], `${name}, order ${order}`);
      assert.equal(found?.hash, header?.hash);
      assert.ok(transactions !== undefined, `${name}, order ${order}`);
    }
  }
  assert.ok(count > 30, `${count} blocks`);
});
