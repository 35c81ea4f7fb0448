import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EngineHeads } from '../../../src/chains/embedded/reads/head-reads.ts';
import type { StoredBlocks } from '../../../src/chains/embedded/reads/stored-blocks.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Creates the head of a store that another process moves. */
function createHeads() {
  let number = 5n;
  let looks = 0;
  const blocks = {
    get head() {
      looks++;
      return { header: { number }, hashText: `0x${number}` };
    },
  } as unknown as StoredBlocks;
  const heads = new EngineHeads(blocks);
  return {
    heads,
    looks: () => looks,
    moveTo: (next: bigint) => {
      number = next;
    },
  };
}

const pass = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('the watched head of a store', () => {
  test('is reported to each watcher once per change, until the watcher leaves', async () => {
    const { heads, moveTo, looks } = createHeads();
    const seen: (readonly [string, bigint])[] = [];
    const leaveFirst = heads.watch(() => seen.push(['first', heads.served.number]));
    const leaveSecond = heads.watch(() => seen.push(['second', heads.served.number]));
    moveTo(7n);
    await waitUntil(() => seen.length > 0);
    assert.deepEqual(seen, [
      ['first', 7n],
      ['second', 7n],
    ]);
    const before = looks();
    await waitUntil(() => looks() >= before + 2);
    assert.equal(seen.length, 2, 'a look without a change calls for nothing');
    leaveFirst();
    leaveFirst();
    moveTo(9n);
    await waitUntil(() => seen.length > 2);
    assert.deepEqual(seen.at(-1), ['second', 9n]);
    assert.equal(seen.length, 3);
    leaveSecond();
  });

  test('is not read without watchers, nor after close', async () => {
    const { heads, moveTo, looks } = createHeads();
    heads.watch(() => assert.fail('the head moved before the watch began'))();
    moveTo(6n);
    heads.watch(() => assert.fail('it was ended'));
    heads.close();
    const before = looks();
    moveTo(7n);
    await pass(250);
    assert.equal(looks(), before);
  });
});
