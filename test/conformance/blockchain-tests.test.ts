/**
 * Third-party block tests: uncles, invalid headers and bodies, side branches, fork transitions. Every block must be
 * accepted or refused as its file says, and the heaviest branch end at the file's last block with the file's state.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findVectors, SKIP_REASON } from '../support/vectors.ts';
import { type BlockTestJson, runBlockTest } from './support/block-test.ts';

const CASES = 1442;

const root = findVectors('blockchain-uncles');

describe('block tests', { skip: root === undefined && SKIP_REASON }, () => {
  const all = root === undefined ? [] : readdirSync(root, { recursive: true, encoding: 'utf8' });
  const files = all.filter((name) => name.endsWith('.json')).sort();
  let cases = 0;

  for (const file of files) {
    test(file, async () => {
      const text = readFileSync(join(root as string, file), 'utf8');
      const failures: string[] = [];
      for (const [name, json] of Object.entries(JSON.parse(text) as Record<string, BlockTestJson>)) {
        cases++;
        const differences = await runBlockTest(json);
        if (differences.length > 0) failures.push(`${name}: ${differences.join('; ')}`);
      }
      assert.deepEqual(failures, []);
    });
  }

  test('the set of cases is complete', () => assert.equal(cases, CASES));
});
