import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { BLAKE2B_MODULE_FILE, generateBlake2bModule } from '../../scripts/blake2b-module.ts';

test('the committed module is what its source is today', async () => {
  assert.equal(
    readFileSync(BLAKE2B_MODULE_FILE, 'utf8'),
    await generateBlake2bModule(),
    'see npm run generate -- blake2b',
  );
});
