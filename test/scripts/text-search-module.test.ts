import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { generateTextSearchModule, TEXT_SEARCH_MODULE_FILE } from '../../scripts/text-search-module.ts';

test('the committed module is what its source gives today', async () => {
  assert.equal(
    readFileSync(TEXT_SEARCH_MODULE_FILE, 'utf8'),
    await generateTextSearchModule(),
    'see npm run generate -- text-search',
  );
});
