import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NameWriter } from '../../src/cache/name-writer.ts';
import { makeBlockHash } from './keys.ts';

const MAX_BYTES = 1_024;
const BLOCK = makeBlockHash(1);

test('non-ASCII text is never encoded as ASCII, even close to the size limit', () => {
  const names = new NameWriter(MAX_BYTES);
  const room = MAX_BYTES - BLOCK.length - 1;
  for (const character of ['é', '€', '\ud800', '😀']) {
    for (let length = 1; length <= room + 2; length++) {
      const request = 'a'.repeat(length - 1) + character;
      const isShort = BLOCK.length + 1 + 2 * request.length <= MAX_BYTES;
      assert.equal(names.write({ blockHash: BLOCK, request }), isShort, `${length}`);
      if (isShort) assert.ok(names.isWide);
    }
    const wide = { blockHash: BLOCK, request: character.repeat(room / character.length) };
    assert.equal(names.write(wide), false);
  }
  assert.ok(names.write({ blockHash: BLOCK, request: 'a'.repeat(room) }));
  assert.equal(names.isWide, false);
  assert.equal(names.write({ blockHash: BLOCK, request: 'a'.repeat(room + 1) }), false);
});

test('a name begins with the hash of its block', () => {
  const names = new NameWriter(MAX_BYTES);
  const seen = new Set<number>();
  for (const block of [1, 1, 2, 1, 3, 2].map(makeBlockHash)) {
    assert.ok(names.write({ blockHash: block, request: 'a question' }));
    assert.equal(names.bytes.toString('latin1', 0, names.length), `${block} a question`);
    seen.add(names.hashBlock());
  }
  assert.equal(seen.size, 3);
});

test('hashes of a name are the same for all writers, independent of earlier names and of cached keys', () => {
  const names = new NameWriter(MAX_BYTES);
  const others = new NameWriter(MAX_BYTES);
  const seen = new Set<string>();
  for (const blockHash of [BLOCK, '0xa', '', makeBlockHash(2)]) {
    for (let length = 0; length < 40; length++) {
      const key = { blockHash, request: 'q'.repeat(length) };
      names.write(key);
      const { hash, tag } = names;
      const bytes = names.words.slice(0, (names.length + 3) >> 2);
      seen.add(`${hash} ${tag}`);
      others.write({ blockHash: '0xb', request: 'x'.repeat(50) });
      for (const again of [key, { blockHash, request: key.request }]) {
        others.write(again);
        assert.deepEqual([others.hash, others.tag], [hash, tag]);
        assert.deepEqual(others.words.slice(0, bytes.length), bytes);
      }
    }
  }
  assert.equal(seen.size, 160);
});
