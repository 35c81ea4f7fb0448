import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepUnique } from '../../src/upstream/keep-unique.ts';

test('an answer in which an object has a name twice is written anew, and refused where it is long', () => {
  assert.equal(keepUnique('{"a":1,"a":2}'), '{"a":2}');
  const long = '0'.repeat(1024 * 1024);
  const text = `{"a":"${long}","b":1}`;
  assert.equal(keepUnique(text), text);
  assert.throws(() => keepUnique(`{"a":"${long}","a":1}`), {
    kind: 'wrong',
    message: /a name more than once/,
  });
});
