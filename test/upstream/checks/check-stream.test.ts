import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBytes } from '../../../src/upstream/checks/check-stream.ts';
import { TURNS } from '../../../src/util/turn-queue.ts';
import { createStream } from '../support/scripted-stream.ts';

const KiB = 1024;

for (const pieceBytes of [4 * KiB, 64 * KiB, 100 * KiB, 2_000 * KiB])
  test(`an answer in pieces of ${pieceBytes / KiB} KiB is looked at in slices, each in a turn`, async (t) => {
    const rejoin = t.mock.method(TURNS, 'rejoin');
    const slices: number[] = [];
    const read = async (length: number): Promise<number> => {
      const before = rejoin.mock.callCount();
      const checked = checkBytes(createStream('a'.repeat(length), { pieceBytes }), {
        add: (slice) => void slices.push(slice.length),
        finish: () => {},
      });
      let read = 0;
      for await (const piece of checked.pieces) read += piece.length;
      assert.equal(read, length);
      return rejoin.mock.callCount() - before;
    };
    // A short one is not held up.
    assert.equal(await read(64 * KiB), 0);
    assert.ok((await read(2_000 * KiB)) >= 31);
    assert.ok(Math.max(...slices) <= 64 * KiB);
    assert.equal(
      slices.reduce((sum, bytes) => sum + bytes, 0),
      2_064 * KiB,
    );
  });
