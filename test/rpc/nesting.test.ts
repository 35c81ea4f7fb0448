import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNestedTooDeeply } from '../../src/rpc/nesting.ts';

const PADDING = ' '.repeat(20_000);
const check = (json: string): boolean => isNestedTooDeeply(Buffer.from(json + PADDING));
const nest = (levels: number, inside = ''): string => '['.repeat(levels) + inside + ']'.repeat(levels);

test('depth is counted, not brackets', () => {
  assert.equal(check(nest(64)), false);
  assert.equal(check(nest(65)), true);
  assert.equal(check(`[${Array(500).fill('{"a":[]}').join()}]`), false);
  assert.equal(check('{"a":'.repeat(65)), true);
});

test('brackets inside strings do not count, whatever escapes stand before the quote', () => {
  const brackets = '['.repeat(100);
  for (const text of [brackets, `\\${brackets}`, `"${brackets}`, `${brackets}\\`, `\\"${brackets}`]) {
    assert.equal(check(JSON.stringify([text, { [text]: 1 }])), false);
    assert.equal(check(nest(65, JSON.stringify(text))), true);
  }
});

test('a string that does not end is left to the parser', () => {
  assert.equal(check(`"${'['.repeat(100)}`), false);
});
