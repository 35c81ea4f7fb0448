import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { generateKeccakModule, KECCAK_MODULE_FILE } from '../../scripts/core/keccak-module.ts';

test('the committed module is what the core has today', async () => {
  assert.equal(
    readFileSync(KECCAK_MODULE_FILE, 'utf8'),
    await generateKeccakModule(),
    'see npm run generate -- keccak',
  );
});
