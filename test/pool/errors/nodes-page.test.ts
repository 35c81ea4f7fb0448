import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { readCases } from './fixtures.ts';
import { renderTables } from './nodes-page.ts';

/** The test runs as build/test/pool/errors/nodes-page.test.js. */
const PAGE = new URL('../../../../docs/nodes.md', import.meta.url);
const MARK = '<!-- from here on: what the fixtures of test/pool/errors say -->\n\n';

test('the tables of docs/nodes.md match the fixtures', () => {
  const page = readFileSync(PAGE, 'utf8');
  const start = page.indexOf(MARK) + MARK.length;
  assert.ok(start > MARK.length, 'the mark is missing');
  const tables = renderTables(readCases());
  if (process.env['PORTCULLIS_WRITE_DOCS'] === '1') writeFileSync(PAGE, page.slice(0, start) + tables);
  assert.equal(
    readFileSync(PAGE, 'utf8').slice(start),
    tables,
    'run: PORTCULLIS_WRITE_DOCS=1 node --test build/test/pool/errors/nodes-page.test.js',
  );
});
