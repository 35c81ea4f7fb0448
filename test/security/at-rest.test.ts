/** Stored data that other users of the machine might read or write. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { KeyBook } from '../../src/access/keys/key-book.ts';
import { LmdbKeyTable } from '../../src/access/keys/lmdb-key-table.ts';
import { LmdbLimitTable } from '../../src/access/limits/lmdb-limit-table.ts';
import { RedisLimitTable } from '../../src/access/limits/redis-limit-table.ts';
import type { RedisClient } from '../../src/shared-store/redis/redis-client.ts';
import { makeFolder } from '../access/key-tables.ts';

test('folders of keys and limits are accessible to their owner only', {
  skip: process.platform === 'win32',
}, async (t) => {
  const umask = process.umask(0);
  t.after(() => process.umask(umask));
  const dataDir = join(makeFolder(t), 'a', 'b');
  const keys = new LmdbKeyTable(dataDir);
  const limits = new LmdbLimitTable(dataDir, () => {});
  limits.draw({ bucket: 'x', rate: { perSecond: 1, burst: 1 }, tokens: 1, spending: undefined });
  for (const folder of [dataDir, join(dataDir, '..'), join(dataDir, 'keys'), join(dataDir, 'limits')]) {
    assert.equal(statSync(folder).mode & 0o777, 0o700, folder);
  }
  await limits.close();
  await keys.close();
});

test('keys and secrets are in no file', async (t) => {
  const dataDir = makeFolder(t);
  const book = new KeyBook(new LmdbKeyTable(dataDir));
  const { key, secret = '', record } = await book.create('mine', {}, true);
  const rotated = await book.rotate(record.id, 60_000);
  await book.close();
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  assert.ok(files.length > 0);
  for (const file of files) {
    const bytes = readFileSync(join(file.parentPath, file.name));
    for (const text of [key, secret, rotated?.key ?? '']) {
      assert.ok(!bytes.includes(text), file.name);
      assert.ok(!bytes.includes(Buffer.from(text, 'hex')), file.name);
    }
  }
});

/** A limits server that returns the same reply to every command. */
function createLiar(reply: unknown): RedisClient {
  return {
    ready: true,
    isAnswering: true,
    get: async () => null,
    send: async () => reply,
    run: async () => reply,
    set: async () => {},
    waitUntilReady: async () => {},
    reconnect() {},
    close() {},
  };
}

test('a limits server grants no more than requested, and malformed replies are ignored', async (t) => {
  const draw = { bucket: 'x', rate: { perSecond: 10, burst: 20 }, tokens: 5, spending: undefined };
  const options = { prefix: 'x', timeLimitMs: 1_000, processes: 2 };
  for (const [reply, expected] of [
    [[5, 0, 0], { tokens: 5, waitMs: 0, spent: 0 }],
    [[1e15, 0, 0], { tokens: 5, waitMs: 0, spent: 0 }],
    [['3', '1e300', 0], { tokens: 3, waitMs: 2_000, spent: 0 }],
    [['x', 0, 0], undefined],
    [[0, Number.NaN, 0], undefined],
    [[Number.POSITIVE_INFINITY, 0, 0], undefined],
    [[-1, 0, 0], undefined],
    [[0, -1, 0], undefined],
    [[0, 0, {}], undefined],
    [[1, 0], undefined],
    ['OK', undefined],
    [null, undefined],
  ] as const) {
    const table = new RedisLimitTable({ client: createLiar(reply), ...options });
    t.after(() => table.close());
    assert.deepEqual(await table.draw(draw), expected, String(reply));
    await new Promise(setImmediate);
    assert.ok(table.share > 0 && table.share <= 1);
  }
});
