import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { LmdbKeyStore } from '../../src/access/lmdb-key-store.ts';

async function openStore(
  t: TestContext,
  now?: () => number,
): Promise<{ store: LmdbKeyStore; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-'));
  const store = new LmdbKeyStore(folder, now);
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  return { store, folder };
}

test('a created key opens, another does not', async (t) => {
  const { store } = await openStore(t);
  const { key, record } = await store.create('alice');
  assert.match(key, /^[0-9a-f]{32}$/);
  assert.deepEqual(store.verify(key), { id: record.id, name: 'alice' });
  assert.deepEqual(store.verify(key), { id: record.id, name: 'alice' });
  for (const wrong of ['', 'demo', key.toUpperCase(), `${key}0`, '0'.repeat(32), 'é'.repeat(32)]) {
    assert.equal(store.verify(wrong), undefined);
  }
});

test('a revoked key dies at once here', async (t) => {
  const { store } = await openStore(t);
  const { key, record } = await store.create('alice');
  assert.ok(store.verify(key));
  const revoked = await store.revoke(record.id);
  assert.ok(revoked?.revokedAt);
  assert.equal(store.verify(key), undefined);
  assert.equal((await store.revoke(record.id))?.revokedAt, revoked.revokedAt);
  assert.equal(await store.revoke('unknown'), undefined);
});

test('a key revoked by another process dies within a second', async (t) => {
  let now = 0;
  const { store, folder } = await openStore(t, () => now);
  const { key, record } = await store.create('alice');
  assert.ok(store.verify(key));
  const module = new URL('../../src/access/lmdb-key-store.js', import.meta.url).href;
  const script = `
    const { LmdbKeyStore } = await import(${JSON.stringify(module)});
    const store = new LmdbKeyStore(${JSON.stringify(folder)});
    await store.revoke(${JSON.stringify(record.id)});
    await store.close();`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  assert.ok(store.verify(key));
  now = 1_000;
  assert.equal(store.verify(key), undefined);
});

test('lists all keys in the order of their creation, without the keys', async (t) => {
  const { store } = await openStore(t);
  const first = await store.create('first');
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = await store.create('second');
  assert.deepEqual(store.list(), [first.record, second.record]);
  assert.ok(!JSON.stringify(store.list()).includes(first.key));
});

test('what is on disk does not contain the key', async (t) => {
  const { store, folder } = await openStore(t);
  const { key, record } = await store.create('alice');
  const files = await readdir(join(folder, 'keys'));
  const contents = await Promise.all(files.map((file) => readFile(join(folder, 'keys', file), 'latin1')));
  const text = contents.join('');
  assert.ok(text.includes(record.id));
  assert.ok(!text.includes(key));
});

test('refuses names that would spoil a list', async (t) => {
  const { store } = await openStore(t);
  for (const name of ['', 'a\nb', 'x'.repeat(65), '\u001b[0m']) {
    await assert.rejects(store.create(name), RangeError);
  }
});
