import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONTENTS, spellResponse } from './contents.ts';

const BYTES = 300_000;
const TRUE = { jsonrpc: '2.0', id: 7, result: { hash: '0xab' } };

for (const content of CONTENTS) {
  test(`${content.name}: the response has about the requested length`, () => {
    for (const text of [JSON.stringify(TRUE), JSON.stringify([TRUE, TRUE])]) {
      const pieces = spellResponse(content, text, '7', BYTES);
      const bytes = Buffer.concat([...pieces]);
      assert.equal(bytes.length, pieces.bytes);
      assert.ok(bytes.length >= BYTES);
      const read = (): { readonly id: unknown }[] => [JSON.parse(bytes.toString())].flat();
      // Only scanners read contents that are nested this deep.
      if (content.name.startsWith('deep'))
        assert.ok(bytes.toString().endsWith(text.startsWith('[') ? '}]' : '}'));
      else assert.equal(read()[0]?.id, 7);
    }
  });
}

test('an endless content does not end', () => {
  const [content] = CONTENTS;
  if (content === undefined) assert.fail('there is no content');
  let bytes = 0;
  for (const piece of spellResponse(content, JSON.stringify(TRUE), '7', Number.POSITIVE_INFINITY)) {
    bytes += piece.length;
    if (bytes > 10 * BYTES) return;
  }
  assert.fail('it ended');
});
