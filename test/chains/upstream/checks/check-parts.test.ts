import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  checkReceipt,
  checkTransaction,
  checkUncle,
  readPlace,
} from '../../../../src/chains/upstream/checks/check-parts.ts';
import { ScriptedChain } from '../../../pool/support/scripted-chain.ts';
import { createStream } from '../../../pool/support/scripted-stream.ts';

const chain = new ScriptedChain({ length: 5, transactions: () => 3, uncles: () => 2, mergedFrom: 5 });
const block = chain.block(3);
const WRONG = { name: 'UpstreamFault', kind: 'wrong' } as const;

describe('checkTransaction', () => {
  const check = checkTransaction(block, 1);

  it('accepts the transaction at this index, in any case of letters', () => {
    const text = JSON.stringify(chain.transactionObject(3, 1));
    assert.equal(check(text), text);
    const upper = text.toUpperCase().replaceAll('0X', '0x').replace('HASH', 'hash');
    const inUpperCase = upper.replace('BLOCKHASH', 'blockHash');
    assert.equal(check(inUpperCase), inUpperCase);
  });

  it('refuses another index, another block, and values that are no transaction', () => {
    const moved = { ...chain.transactionObject(3, 1), blockHash: chain.hashOf(2) };
    for (const value of [
      chain.transactionObject(3, 2),
      chain.transactionObject(2, 1),
      moved,
      {},
      [],
      7,
      null,
    ]) {
      assert.throws(() => check(JSON.stringify(value)), WRONG);
    }
    const stream = createStream('{}');
    assert.throws(() => check(stream), WRONG);
    assert.equal(stream.isCancelled, true);
  });
});

describe('checkReceipt', () => {
  const hash = block.transactionHashes[0] as string;
  const check = checkReceipt(hash);
  const bloom = (digit: string): string => `0x${'0'.repeat(511)}${digit}`;

  it('accepts the receipt of the transaction, with a plausible bloom or without one', () => {
    for (const rest of [
      { logs: [], logsBloom: bloom('0') },
      { logs: [{}], logsBloom: bloom('1') },
      { logs: [] },
      { logsBloom: bloom('1') },
    ]) {
      const text = JSON.stringify({ transactionHash: hash, ...rest });
      assert.equal(check(text), text);
    }
  });

  it('refuses the receipt of another transaction, and a nonempty bloom without logs', () => {
    for (const value of [
      { transactionHash: hash, logs: [], logsBloom: bloom('1') },
      { transactionHash: block.transactionHashes[1], logs: [], logsBloom: bloom('0') },
      {},
    ])
      assert.throws(() => check(JSON.stringify(value)), WRONG);
  });
});

describe('checkUncle', () => {
  const check = checkUncle(block, 0);
  const uncle = { hash: block.uncleHashes[0], number: '0x2' };

  it('accepts the uncle at this index, and returns it without transactions and uncles', () => {
    const text = JSON.stringify({ ...uncle, uncles: [] });
    assert.equal(check(text), text);
    const values = [uncle, { ...uncle, transactions: [] }, { ...uncle, transactions: ['0x1'], uncles: [] }];
    for (const value of values) {
      assert.deepEqual(JSON.parse(check(JSON.stringify(value)) as string), { ...uncle, uncles: [] });
    }
  });

  it('refuses any other uncle', () => {
    for (const hash of [block.uncleHashes[1], block.hash, undefined, 7]) {
      assert.throws(() => check(JSON.stringify({ ...uncle, hash })), WRONG);
    }
  });
});

describe('readPlace', () => {
  const place = {
    blockHash: block.hash.toUpperCase().replace('0X', '0x'),
    blockNumber: '0x3',
    transactionIndex: '0x1',
  };

  it('returns the position in the answer', () => {
    for (const reported of [place, { ...place, blockNumber: '0x03', transactionIndex: '0x01' }]) {
      assert.deepEqual(readPlace(JSON.stringify(reported)), { number: 3n, blockHash: block.hash, index: 1n });
    }
  });

  it('returns undefined while pending, and throws a fault for a malformed position', () => {
    for (const blockHash of [null, undefined]) {
      assert.equal(readPlace(JSON.stringify({ ...place, blockHash })), undefined);
    }
    for (const lie of [{ blockNumber: null }, { transactionIndex: 1 }, { blockNumber: 'x' }]) {
      assert.throws(() => readPlace(JSON.stringify({ ...place, ...lie })), WRONG);
    }
    for (const text of ['7', '"0x"']) assert.throws(() => readPlace(text), WRONG);
  });
});
