import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBytes } from '../../../../src/chains/upstream/checks/check-stream.ts';
import { SCHEDULER } from '../../../../src/util/slot-scheduler.ts';
import { createStream } from '../../../pool/support/scripted-stream.ts';

const KiB = 1024;

for (const [pieceBytes, slots] of [
  // Chunks of HTTP: the code that reads them bounds its time.
  [4 * KiB, 0],
  [128 * KiB, 0],
  // A message of a WebSocket: one scheduler slot between two slices.
  [200 * KiB, 10],
  [2_000 * KiB, 15],
] as const)
  test(`an answer in chunks of ${pieceBytes / KiB} KiB is checked in slices, with ${slots} scheduler slots between them`, async (t) => {
    const rejoin = t.mock.method(SCHEDULER, 'rejoin');
    const slices: number[] = [];
    const checked = checkBytes(createStream('a'.repeat(2_000 * KiB), { pieceBytes }), {
      add: (slice) => void slices.push(slice.length),
      finish: () => {},
    });
    let read = 0;
    for await (const piece of checked.pieces) read += piece.length;
    assert.equal(read, 2_000 * KiB);
    assert.equal(rejoin.mock.callCount(), slots);
    assert.ok(Math.max(...slices) <= 128 * KiB);
    assert.equal(
      slices.reduce((sum, bytes) => sum + bytes, 0),
      2_000 * KiB,
    );
  });
