import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NativeSection } from '../../../../src/chains/embedded/execution/native-section.ts';

test('NativeSection: close reports a running section, and no section begins after close', () => {
  const parent = new NativeSection();
  const thread = new NativeSection(parent.shared);
  const before = thread.run(() => 'done');
  assert.equal(before, 'done');
  assert.throws(
    () =>
      thread.run(() => {
        assert.equal(parent.close(), true);
        throw new RangeError('of the work');
      }),
    RangeError,
  );
  assert.equal(parent.close(), false);
  let isBegun = false;
  assert.throws(
    () =>
      thread.run(() => {
        isBegun = true;
      }),
    /being terminated/,
  );
  assert.deepEqual([isBegun, parent.close()], [false, false]);
});
