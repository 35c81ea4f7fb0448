import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UntracedError } from '../../../../packages/ethereum/primitives/untraced-error.ts';

test('an untraced error is an error with a message and no stack, and others keep theirs', () => {
  const error = new UntracedError('out of gas');
  assert.ok(error instanceof Error);
  assert.equal(error.message, 'out of gas');
  assert.doesNotMatch(error.stack ?? '', /\n {4}at /);
  assert.match(new Error('fault').stack ?? '', /\n {4}at /);
});
