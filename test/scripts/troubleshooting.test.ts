/** The texts in the guide to troubleshooting are those of the program. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/program-files.ts';
import { PROGRAM_SOURCES } from '../support/program-sources.ts';

const GUIDE = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8');
/** First cell of each row, in backticks. */
const TEXTS = [...GUIDE.matchAll(/^\| `([^`]+)` \|/gm)].map(([, text = '']) => text);
const SOURCES = PROGRAM_SOURCES.map(({ text }) => text).join('\n');

test('the guide to troubleshooting has rows for the start, for requests and for calls', () => {
  assert.ok(TEXTS.length > 20, `${TEXTS.length} rows`);
});

for (const text of TEXTS)
  test(`the program has the text: ${text}`, () => {
    for (const part of text.split('…').map((piece) => piece.trim().replace(/:$/, '')))
      assert.ok(SOURCES.includes(part), JSON.stringify(part));
  });
