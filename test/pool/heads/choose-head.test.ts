import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { BlockHeader } from '../../../src/pool/heads/block.ts';
import {
  type ChainView,
  chooseHead,
  countShare,
  hasBlock,
  type Share,
} from '../../../src/pool/heads/choose-head.ts';
import { makeBlock, TestChain } from '../../support/block-tree.ts';
import { countRuns } from '../../support/count-runs.ts';
import { viewChain, viewNothing } from '../../support/head-views.ts';

const a = TestChain.create('a', 301);
/** Branch of `a` after block 97. */
const b = a.fork('b', 97, 6);

const tipOf = (view: ChainView): BlockHeader => view.latest as BlockHeader;

test('a share is more than half or at least a part of the nodes, and at least one node', () => {
  const counts = (share: Share): number[] => [0, 1, 2, 3, 4, 5].map((total) => countShare(share, total));
  assert.deepEqual(counts('majority'), [1, 1, 2, 2, 3, 3]);
  assert.deepEqual(counts(1), [1, 1, 2, 3, 4, 5]);
  assert.deepEqual(counts(0.5), [1, 1, 1, 2, 2, 3]);
  assert.deepEqual(counts(0.01), [1, 1, 1, 1, 1, 1]);
  assert.equal(countShare(0.07, 100), 7);
});

test('a node has each block up to its head unless it has another one at that height', () => {
  const view = viewChain(a, 100, 3);
  assert.equal(hasBlock(view, a.at(100)), true);
  assert.equal(hasBlock(view, a.at(101)), false);
  assert.equal(hasBlock(view, b.at(99)), false);
  assert.equal(hasBlock(view, makeBlock('x', 50n)), true);
  assert.equal(hasBlock(viewNothing(), a.at(0)), false);
});

test('there is no head without nodes, or if too few nodes report one', () => {
  assert.equal(chooseHead([], 'majority'), undefined);
  assert.equal(chooseHead([viewNothing()], 'majority'), undefined);
  assert.equal(chooseHead([viewChain(a, 100), viewNothing(), viewNothing()], 'majority'), undefined);
});

for (const [heads, share, chosen] of [
  [[100], 'majority', 100],
  [[100, 90], 'majority', 90],
  [[100, 99, 90], 'majority', 99],
  [[100, 100, 0], 'majority', 100],
  [[100, 99, 98, 97], 'majority', 98],
  [[100, 99, 98, 97], 0.5, 99],
  [[100, 99, 98, 97], 0.25, 100],
  [[100, 99, 98, 97], 1, 97],
  [[300, 3, 2], 'majority', 3],
] as const) {
  test(`heads ${heads.join(' ')} at share ${share} choose ${chosen}`, () => {
    const views = heads.map((head) => viewChain(a, head));
    assert.equal(chooseHead(views, share), a.at(chosen));
  });
}

test('the highest common block need not be the head of any node', () => {
  const views = [viewChain(a, 100), viewChain(b, 103)];
  assert.equal(chooseHead(views, 'majority'), a.at(97));
});

test('a block whose header no node has is skipped in favour of the next one below', () => {
  const views = [viewChain(a, 99, 2), viewChain(a, 100, 1)];
  assert.equal(chooseHead(views, 'majority'), a.at(99));
  const hashOnly: ChainView = { ...viewChain(a, 98, 3), headerAt: () => undefined };
  assert.equal(chooseHead([hashOnly, viewChain(a, 97)], 'majority'), a.at(97));
});

test('between two blocks of equal height, the one that more nodes have is chosen', () => {
  const views = [viewChain(a, 100), viewChain(b, 100), viewChain(b, 100)];
  assert.equal(chooseHead(views, 0.3), b.at(100));
  assert.equal(chooseHead(views, 0.3, a.at(100)), b.at(100));
});

test('a tie is decided for the served block, then for the lower hash', () => {
  const views = [viewChain(b, 100), viewChain(a, 100)];
  assert.equal(chooseHead(views, 0.5, a.at(100)), a.at(100));
  assert.equal(chooseHead(views, 0.5, b.at(100)), b.at(100));
  const lower = a.at(100).hash < b.at(100).hash ? a.at(100) : b.at(100);
  assert.equal(chooseHead(views, 0.5), lower);
  assert.equal(chooseHead(views.toReversed(), 0.5), lower);
});

test('a ceiling lowers the chosen head', () => {
  const views = [viewChain(a, 100), viewChain(a, 99)];
  assert.equal(chooseHead(views, 'majority', undefined, 98n), a.at(98));
  assert.equal(chooseHead(views, 'majority', undefined, 200n), a.at(99));
});

test('absurd heads of a minority do not change the choice', () => {
  const good = [viewChain(a, 100), viewChain(a, 100), viewChain(a, 100)];
  for (const number of [0n, 2n ** 60n, 101n, 100n]) {
    const bad = viewChain(new TestChain([makeBlock('x', number)]), 0);
    assert.equal(chooseHead([bad, ...good, bad], 'majority'), a.at(100));
  }
});

const viewOf = fc
  .record({ branch: fc.constantFrom(a, b), tip: fc.nat(102), depth: fc.integer({ min: 1, max: 300 }) })
  .map(({ branch, tip, depth }) => viewChain(branch, tip, depth));
const shareOf = fc.oneof(
  fc.constant<Share>('majority'),
  fc.double({ min: 0.01, max: 1, noNaN: true }).map((part): Share => part),
);

test('the share of nodes has the chosen block and no higher head of a node, in any order of the nodes', () => {
  fc.assert(
    fc.property(fc.array(viewOf, { minLength: 1, maxLength: 6 }), shareOf, (views, share) => {
      const needed = countShare(share, views.length);
      const holders = (block: BlockHeader): number => views.filter((view) => hasBlock(view, block)).length;
      const chosen = chooseHead(views, share);
      if (chosen !== undefined) assert.ok(holders(chosen) >= needed);
      for (const latest of views.map(tipOf)) {
        if (holders(latest) >= needed) assert.ok(chosen !== undefined && chosen.number >= latest.number);
      }
      assert.equal(chooseHead(views.toReversed(), share)?.hash, chosen?.hash);
    }),
    { numRuns: countRuns(500) },
  );
});
