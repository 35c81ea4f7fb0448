import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkBlock } from '../../../../src/chains/upstream/checks/check-block.ts';
import { makeHash, ScriptedChain } from '../../../pool/support/scripted-chain.ts';
import { createStream, readAll } from '../../../pool/support/scripted-stream.ts';

const chain = new ScriptedChain({ length: 5, transactions: () => 3 });
const block = chain.block(3);
const WRONG = { name: 'UpstreamFault', kind: 'wrong' } as const;

describe('checkBlock', () => {
  const check = checkBlock(block.hash, undefined);

  it('accepts the block with this hash, in any formatting', () => {
    for (const indent of [undefined, 2]) {
      const text = JSON.stringify(chain.blockObject(3), undefined, indent);
      assert.equal(check(text), text);
    }
  });

  it('refuses its child, which has the hash as parent, and all others', () => {
    for (const number of [2, 4]) assert.throws(() => check(JSON.stringify(chain.blockObject(number))), WRONG);
    assert.throws(() => check(JSON.stringify({ hash: makeHash(9, 9, 9) })), WRONG);
    assert.throws(() => check('{}'), WRONG);
  });

  it('compares the transactions with the known ones', () => {
    const strict = checkBlock(block.hash, block);
    const hashes = block.transactionHashes;
    const whole = hashes.map((_, index) => chain.transactionObject(3, index));
    for (const transactions of [hashes, whole]) {
      const text = JSON.stringify({ ...chain.blockObject(3), transactions });
      assert.equal(strict(text), text);
    }
    for (const transactions of [[], hashes.slice(1), hashes.toReversed(), whole.slice(0, 2)]) {
      const text = JSON.stringify({ ...chain.blockObject(3), transactions });
      assert.throws(() => strict(text), WRONG);
      assert.equal(check(text), text);
    }
  });

  it('checks a stream in the same way, however it is divided', async () => {
    const strict = checkBlock(block.hash, block);
    const right = JSON.stringify(chain.blockObject(3));
    const wrong = JSON.stringify({ ...chain.blockObject(3), transactions: [] });
    for (const size of [1, 7, 64, 10_000]) {
      const stream = strict(createStream(right, { pieceBytes: size }));
      assert.ok(typeof stream !== 'string');
      assert.equal(await readAll(stream), right);
      const broken = strict(createStream(wrong, { pieceBytes: size }));
      assert.ok(typeof broken !== 'string');
      await assert.rejects(readAll(broken), WRONG);
    }
  });
});
