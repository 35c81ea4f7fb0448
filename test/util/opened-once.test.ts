import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenedOnce } from '../../src/util/opened-once.ts';

test('what could not be opened is opened again by the next use, and then kept', async () => {
  let attempts = 0;
  const part = new OpenedOnce(async () => {
    if (++attempts === 1) throw new Error('no file handles are left');
    return attempts;
  });
  assert.equal(part.opening, undefined);
  const [first, second] = await Promise.allSettled([part.get(), part.get()]);
  assert.deepEqual([first?.status, second?.status, attempts], ['rejected', 'rejected', 1]);
  assert.equal(part.opening, undefined);
  assert.deepEqual([await part.get(), await part.get()], [2, 2]);
  assert.equal(await part.opening, 2);
});
