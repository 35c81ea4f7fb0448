import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { BYTE_LOOPS_MODULE_FILE, generateByteLoopsModule } from '../../scripts/byte-loops-module.ts';

test('the committed module is what its source gives today', async () => {
  assert.equal(
    readFileSync(BYTE_LOOPS_MODULE_FILE, 'utf8'),
    await generateByteLoopsModule(),
    'see npm run generate -- byte-loops',
  );
});
