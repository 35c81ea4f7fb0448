import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkBlockHash, checkTransaction, checkUncle } from '../../../src/upstream/checks/check-parts.ts';
import { makeHash, ScriptedChain } from '../support/scripted-chain.ts';
import { createStream } from '../support/scripted-stream.ts';

const chain = new ScriptedChain({ length: 5, transactions: () => 3, uncles: () => 2, mergedFrom: 5 });
const block = chain.block(3);
const WRONG = { name: 'UpstreamFault', kind: 'wrong' } as const;

describe('checkTransaction', () => {
  const check = checkTransaction(block, 1);

  it('takes the one that the block lists there, in any case of letters', () => {
    const text = JSON.stringify(chain.transactionObject(3, 1));
    assert.equal(check(text), text);
    const upper = text.toUpperCase().replaceAll('0X', '0x').replace('HASH', 'hash');
    const inUpperCase = upper.replace('BLOCKHASH', 'blockHash');
    assert.equal(check(inUpperCase), inUpperCase);
  });

  it('refuses another position, another block, and what is no transaction', () => {
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

describe('checkUncle', () => {
  const check = checkUncle(block, 0);
  const uncle = { hash: block.uncleHashes[0], number: '0x2' };

  it('takes the one that the block lists there; it has no transactions and no uncles of its own', () => {
    const text = JSON.stringify({ ...uncle, uncles: [] });
    assert.equal(check(text), text);
    const told = [uncle, { ...uncle, transactions: [] }, { ...uncle, transactions: ['0x1'], uncles: [] }];
    for (const value of told) {
      assert.deepEqual(JSON.parse(check(JSON.stringify(value)) as string), { ...uncle, uncles: [] });
    }
  });

  it('refuses any other', () => {
    for (const hash of [block.uncleHashes[1], block.hash, undefined, 7]) {
      assert.throws(() => check(JSON.stringify({ ...uncle, hash })), WRONG);
    }
  });
});

describe('checkBlockHash', () => {
  const check = checkBlockHash(block.hash);

  it('takes the block of this hash, wherever it says so', () => {
    for (const indent of [undefined, 2]) {
      const text = JSON.stringify(chain.blockObject(3), undefined, indent);
      assert.equal(check(text), text);
    }
  });

  it('refuses its child, which names it as parent, and all others', () => {
    for (const number of [2, 4]) assert.throws(() => check(JSON.stringify(chain.blockObject(number))), WRONG);
    assert.throws(() => check(JSON.stringify({ hash: makeHash(9, 9, 9) })), WRONG);
    assert.throws(() => check('{}'), WRONG);
  });
});
