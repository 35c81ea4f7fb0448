import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { open } from 'lmdb';
import { openChainReader } from '../../../../src/chains/embedded/store/chain-reader.ts';

test('a store whose import was killed before it had tables is reported as empty', async (t) => {
  const path = mkdtempSync(join(tmpdir(), 'portcullis-'));
  t.after(() => rmSync(path, { recursive: true }));
  const root = open({ path, maxDbs: 20, encoding: 'binary', keyEncoding: 'binary' });
  await root.flushed;
  assert.throws(() => openChainReader(path), /the store is empty/);
  root.openDB({ name: 'meta', encoding: 'binary', keyEncoding: 'binary' });
  await root.flushed;
  assert.throws(() => openChainReader(path), /the store is empty/);
  await root.close();
});
