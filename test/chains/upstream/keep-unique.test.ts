import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInSlices } from '../../../packages/ethereum/primitives/parse-in-slices.ts';
import { PIECE_LENGTH } from '../../../packages/ethereum/primitives/parse-json.ts';
import { hasRepeatedNames } from '../../../packages/proofs/repeated-names.ts';
import { keepUnique } from '../../../src/chains/upstream/keep-unique.ts';

test('keepUnique rewrites an answer with a repeated member name, and refuses a long one', () => {
  assert.equal(keepUnique('{"a":1,"a":2}'), '{"a":2}');
  const long = '0'.repeat(1024 * 1024);
  const text = `{"a":"${long}","b":1}`;
  assert.equal(keepUnique(text), text);
  assert.throws(() => keepUnique(`{"a":"${long}","a":1}`), {
    kind: 'wrong',
    message: /a member more than once/,
  });
});

test('hasRepeatedNames does not scan a text that was parsed with pauses', () => {
  const text = `{"a":"${'0'.repeat(PIECE_LENGTH)}","b":1,"b":1}`;
  const slices = parseInSlices(text);
  let step = slices.next();
  while (step.done !== true) step = slices.next();
  // The text differs from the value, which shows that it is not read.
  const other = text.replace('"b":1,', '');
  const value = { ...(step.value as object) };
  assert.equal(hasRepeatedNames(other, step.value), true);
  assert.equal(hasRepeatedNames(other, value), false);
});
