import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCsv } from '../../src/util/csv.ts';

test('cells with separators are quoted, and numbers are not changed', () => {
  assert.equal(
    formatCsv([
      ['a', 'b', 'c'],
      ['x, y', 'say "no"', -1.5],
      ['two\nlines', '', 0],
    ]),
    'a,b,c\n"x, y","say ""no""",-1.5\n"two\nlines",,0\n',
  );
});

test('a text that a spreadsheet would read as a formula becomes a text', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\tx']) assert.equal(formatCsv([[text]]), `'${text}\n`);
  assert.equal(formatCsv([['=HYPERLINK("http://a","b")']]), `"'=HYPERLINK(""http://a"",""b"")"\n`);
  assert.equal(formatCsv([['\r']]), `"'\r"\n`);
  assert.equal(formatCsv([['a=1', 'a-b', '0x1']]), 'a=1,a-b,0x1\n');
});
