import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UntracedError } from '../../../../packages/ethereum/primitives/untraced-error.ts';

test('UntracedError is an Error with a message and without a stack trace', () => {
  const error = new UntracedError('out of gas');
  assert.ok(error instanceof Error);
  assert.equal(error.message, 'out of gas');
  assert.doesNotMatch(error.stack ?? '', /\n {4}at /);
  assert.match(new Error('fault').stack ?? '', /\n {4}at /);
});
