/**
 * Third-party block tests: uncles, invalid headers and bodies, side branches, fork transitions. Every block must be
 * taken or refused as its file says, and the heaviest branch end at the file's last block with the file's state.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findVectors, SKIP_REASON } from '../support/vectors.ts';
import { type BlockTestJson, runBlockTest } from './support/block-test.ts';

const CASES = 1442;

const root = findVectors('blockchain-uncles');

test('block tests', { skip: root === undefined && SKIP_REASON, timeout: 240_000 }, async (t) => {
  let cases = 0;
  const failures: string[] = [];
  const files = readdirSync(root as string, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.json')).sort()) {
    const tests = JSON.parse(readFileSync(join(root as string, file), 'utf8')) as Record<
      string,
      BlockTestJson
    >;
    for (const [name, json] of Object.entries(tests)) {
      cases++;
      const differences = await runBlockTest(json);
      if (differences.length > 0) failures.push(`${file} ${name}: ${differences.join('; ')}`);
    }
  }
  t.diagnostic(`${cases - failures.length} of ${cases} cases`);
  assert.deepEqual(failures, []);
  assert.equal(cases, CASES);
});
