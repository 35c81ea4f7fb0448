import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { generatePlainCallsModule, PLAIN_CALLS_MODULE_FILE } from '../../scripts/plain-calls-module.ts';

test('the committed module is what its source gives today', async () => {
  assert.equal(
    readFileSync(PLAIN_CALLS_MODULE_FILE, 'utf8'),
    await generatePlainCallsModule(),
    'see npm run generate -- plain-calls',
  );
});
