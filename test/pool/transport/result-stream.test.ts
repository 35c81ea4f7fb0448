import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ResultSource, ResultStream } from '../../../src/pool/transport/result-stream.ts';

const SOURCE: ResultSource = { pause() {}, resume() {}, cancel() {} };

const piece = (length: number): Buffer => Buffer.alloc(length, 'x');

test('a waiting reader gets all but the last piece at once, however short they are', async () => {
  const stream = new ResultStream(SOURCE);
  const iterator = stream.pieces[Symbol.asyncIterator]();
  let next = iterator.next();
  stream.push(piece(9_000));
  for (let i = 0; i < 100; i++) {
    stream.push(piece(10));
    const { value } = await next;
    assert.equal(value?.length, i === 0 ? 9_000 : 10);
    next = iterator.next();
  }
  stream.complete();
  assert.equal((await next).value?.length, 10);
  assert.equal((await iterator.next()).done, true);
});

for (const isComplete of [false, true]) {
  test(`a cancelled stream does not end as if it were whole (complete: ${isComplete})`, async () => {
    const stream = new ResultStream(SOURCE);
    for (let i = 0; i < 3; i++) stream.push(piece(9_000));
    if (isComplete) stream.complete();
    const iterator = stream.pieces[Symbol.asyncIterator]();
    assert.equal((await iterator.next()).value?.length, 9_000);
    stream.cancel();
    await assert.rejects(async () => iterator.next(), /no longer needed/);
  });
}
