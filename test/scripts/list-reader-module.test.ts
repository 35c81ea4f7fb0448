import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { generateListReaderModule, LIST_READER_MODULE_FILE } from '../../scripts/list-reader-module.ts';

test('the committed module is what its source gives today', async () => {
  assert.equal(
    readFileSync(LIST_READER_MODULE_FILE, 'utf8'),
    await generateListReaderModule(),
    'see npm run generate -- list-reader',
  );
});
