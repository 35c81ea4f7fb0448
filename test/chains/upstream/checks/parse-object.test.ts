import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../../../scripts/program-files.ts';

/** Files that parse an object outside of a check, because it is short or they run within `checkParsed`. */
const SHORT_OBJECTS: readonly string[] = [
  'chains/upstream/fee-requests.ts',
  'chains/upstream/placed-receipts.ts',
  'chains/upstream/status-requests.ts',
];

test('parseObject is used outside of checks only for short objects', () => {
  const source = join(ROOT, 'src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(?:pool|chains\/upstream)\/(?!checks\/).*\.ts$/.test(file))
    .filter((file) => /\bparseObject\b/.test(readFileSync(join(source, file), 'utf8')));
  assert.deepEqual(files.toSorted(), SHORT_OBJECTS);
});
