import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { generateJsonScanModule, JSON_SCAN_MODULE_FILE } from '../../scripts/json-scan-module.ts';

test('the committed module is what its source gives today', async () => {
  assert.equal(
    readFileSync(JSON_SCAN_MODULE_FILE, 'utf8'),
    await generateJsonScanModule(),
    'see npm run generate -- json-scan',
  );
});
