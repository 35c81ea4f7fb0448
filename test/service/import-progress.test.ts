import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { encodeBlock } from '../../packages/ethereum/codecs/block.ts';
import { PackedPosition } from '../../src/chains/embedded/import/packed-position.ts';
import { importChain } from '../../src/service/import.ts';
import { describeTimeLeft } from '../../src/service/import-bar.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { createGenesis } from '../support/test-chain.ts';

const BLOCKS = 54;

describe('the progress of an import', () => {
  const folder = makeTemporaryFolder();
  const genesisText = createGenesis({ revision: 'cancun' });
  const builder = new ChainBuilder(genesisText);
  const genesis = join(folder.path, 'genesis.json');
  before(async () => {
    writeFileSync(genesis, genesisText);
    for (let i = 0; i < BLOCKS; i++) await builder.add({});
  });
  after(() => folder.remove());

  /** Imports blocks and records the progress: the size of the file, and the end offset of each block, in bytes. */
  async function follow(
    bytes: Uint8Array,
    name: string,
  ): Promise<{ total: number; done: number[]; committed: number[]; isComplete: boolean }> {
    const blocks = join(folder.path, `${name}.rlp`);
    writeFileSync(blocks, bytes);
    const seen = { total: 0, done: [] as number[], committed: [] as number[], isComplete: false };
    await importChain(
      { genesis, blocks, data: join(folder.path, name), seal: 'ethash-format' },
      {
        index: () => assert.fail('a new store has its indexes'),
        start: (total) => {
          seen.total = total;
        },
        advance: (_block, _kind, bytesDone, bytesCommitted) => {
          seen.done.push(bytesDone);
          seen.committed.push(bytesCommitted);
        },
        stop: (isComplete) => {
          seen.isComplete = isComplete;
        },
      },
    );
    return seen;
  }

  test('is the end of each block, not of the data read ahead', async (t) => {
    // Commits are also due by time: on a busy machine the first block would be one.
    const now = performance.now();
    t.mock.method(performance, 'now', () => now);
    const { total, done, committed, isComplete } = await follow(builder.encode(), 'plain');
    // A block counts once it is in the store, so progress only moves to the end of a commit.
    assert.ok(committed.every((end, i) => end <= (done[i] as number)));
    assert.equal(committed[0], 0, 'the first block alone is no commit');
    const again = await follow(builder.encode(), 'plain');
    assert.deepEqual(again.committed, again.done, 'what is known is in the store');
    let end = 0;
    assert.deepEqual(
      done,
      builder.blocks.map((block) => {
        end += encodeBlock(block).length;
        return end;
      }),
    );
    assert.deepEqual([done.at(-1), isComplete], [total, true]);
  });

  for (const level of [0, 9]) {
    test(`is roughly proportional in a compressed file (level ${level})`, async () => {
      const { total, done, isComplete } = await follow(
        gzipSync(builder.encode(), { level }),
        `packed${level}`,
      );
      assert.equal(done.length, BLOCKS);
      for (const [i, place] of done.entries()) {
        const share = (i + 1) / BLOCKS;
        assert.ok(Math.abs(place / total - share) < 0.25, `block ${i + 1}: ${place} of ${total}`);
        assert.ok(place <= total && (i === 0 || place >= (done[i - 1] as number)));
      }
      assert.equal(isComplete, true);
    });
  }
});

test('a position in a compressed file never exceeds the bytes read, and never decreases', () => {
  const pieces = fc.array(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.nat(20)), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(pieces, (list) => {
      const position = new PackedPosition();
      let [contents, file] = [0, 0];
      for (const [length, packed] of list) {
        contents += length;
        file += packed;
        position.add(length, file);
      }
      let last = 0;
      for (let offset = 0; offset <= contents; offset++) {
        const place = position.find(offset);
        assert.ok(place >= last && place <= file);
        last = place;
      }
      assert.equal(last, file);
    }),
  );
});

test('the remaining time is a duration or a dash for any progress', () => {
  const numbers = fc.double({ min: 0, max: 1e12, noNaN: true });
  fc.assert(
    fc.property(numbers, numbers, numbers, (elapsed, done, left) => {
      assert.match(describeTimeLeft(elapsed, done, left), /^(-|\d{1,2}h\d\dm|\d{1,2}m\d\ds|\d{1,2}s)$/);
    }),
  );
  assert.equal(describeTimeLeft(10_000, 100, 50), '5s');
  assert.equal(describeTimeLeft(10_000, 100, 1_500), '2m30s');
  assert.equal(describeTimeLeft(10_000, 100, 100_000), '2h46m');
  assert.equal(describeTimeLeft(10, 100, 50), '-');
  assert.equal(describeTimeLeft(10_000, 0, 50), '-');
  assert.equal(describeTimeLeft(10_000, 0, 0), '-');
  assert.equal(describeTimeLeft(10_000, 1, 1e9), '-');
});
