import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sentences } from '../../src/upstream/sentences.ts';

test('a node stays out for a minute, then for twice as long each time, up to an hour', () => {
  let now = 0;
  const sentences = new Sentences(() => now);
  const node = {};
  assert.equal(sentences.isHeld(node), false);
  for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
    assert.equal(sentences.begin(node), minutes * 60_000);
    now += minutes * 60_000 - 1;
    assert.equal(sentences.isHeld(node), true);
    now++;
    assert.equal(sentences.isHeld(node), false);
  }
  assert.equal(sentences.begin({}), 60_000);
});
