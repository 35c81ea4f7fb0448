import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../../scripts/program-files.ts';

/** Files that parse an object outside of a check, because it is short or they run within `checkParsed`. */
const SHORT_OBJECTS: readonly string[] = [
  'upstream/fee-requests.ts',
  'upstream/placed-receipts.ts',
  'upstream/status-requests.ts',
];

test('an object is parsed in one piece in checks alone, which are run again where it is long', () => {
  const source = join(ROOT, 'src');
  const files = readdirSync(join(source, 'upstream'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('checks'))
    .map((file) => `upstream/${file}`)
    .filter((file) => /\bparseObject\b/.test(readFileSync(join(source, file), 'utf8')));
  assert.deepEqual(files.toSorted(), SHORT_OBJECTS);
});
