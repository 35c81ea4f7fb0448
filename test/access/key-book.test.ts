/** Key operations of `portcullis keys`, in both kinds of store. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ZodError } from 'zod';
import { hashApiKey } from '../../src/access/keys/api-key.ts';
import { ClosedKeyError, KeyBook } from '../../src/access/keys/key-book.ts';
import type { KeyRecord } from '../../src/access/keys/key-record.ts';
import { makeFolder, NO_REDIS, openClient, openLmdb, openRedis, openServer, STORES } from './key-tables.ts';

const SETTINGS = {
  networks: ['mainnet'],
  addresses: [`0x${'ab'.repeat(20)}`],
  rate: { perSecond: 5, burst: 10 },
  dailyCredits: 1_000,
};

for (const { name, skip, open } of STORES) {
  describe(`keys in ${name}`, { skip }, () => {
    test('a key is found by its hash and listed without it', async (t) => {
      const table = await open(t);
      const book = new KeyBook(table);
      const { key, record } = await book.create('alice', SETTINGS, false);
      assert.match(key, /^[0-9a-f]{32}$/);
      assert.deepEqual(await table.findByHash(hashApiKey(key)), record);
      assert.equal(await table.findByHash(hashApiKey(`${key}0`)), undefined);
      await wait(5);
      const second = await book.create('bob', {}, true);
      assert.match(second.secret ?? '', /^[0-9a-f]{32}$/);
      const listed = await book.list();
      assert.deepEqual(listed, [record, second.record]);
      for (const hidden of [key, second.key, second.secret as string]) {
        assert.ok(!JSON.stringify(listed).includes(hidden));
      }
    });

    test('update changes single settings, and an invalid setting changes nothing', async (t) => {
      const book = new KeyBook(await open(t));
      const { record } = await book.create('alice', SETTINGS, false);
      const changed = await book.update(record.id, { rate: undefined, methods: ['eth_call'] });
      const { rate: _, ...rest } = SETTINGS;
      assert.deepEqual(changed?.settings, { ...rest, methods: ['eth_call'] });
      await assert.rejects(book.update(record.id, { addresses: ['0x12'] }), ZodError);
      assert.deepEqual(await book.find(record.id), changed);
      for (const unknown of ['000000000000', 'x', '0'.repeat(64)])
        assert.equal(await book.find(unknown), undefined);
      assert.equal(await book.update('unknown', {}), undefined);
    });

    test('after a rotation both hashes are found, and repeated rotations leave at most four', async (t) => {
      const table = await open(t);
      const book = new KeyBook(table);
      const first = await book.create('alice', SETTINGS, false);
      const second = await book.rotate(first.record.id, 60_000);
      assert.ok(second !== undefined && second.key !== first.key);
      for (const { key } of [first, second]) {
        assert.equal((await table.findByHash(hashApiKey(key)))?.id, first.record.id);
      }
      assert.deepEqual(second.record.settings, first.record.settings);
      const until = Date.parse(second.record.hashes[1]?.until ?? '');
      assert.ok(until > Date.now() && until <= Date.now() + 60_000);
      let last: KeyRecord | undefined;
      for (let i = 0; i < 6; i++) last = (await book.rotate(first.record.id, 60_000))?.record;
      assert.equal(last?.hashes.length, 4);
      assert.equal(await table.findByHash(hashApiKey(first.key)), undefined);
      assert.equal((await book.rotate(first.record.id, 0))?.record.hashes.length, 1);
    });

    test('a key is revoked only once', async (t) => {
      const book = new KeyBook(await open(t));
      const { record } = await book.create('alice', {}, false);
      const revoked = await book.revoke(record.id);
      assert.ok(revoked?.revokedAt !== undefined);
      await wait(5);
      assert.equal((await book.revoke(record.id))?.revokedAt, revoked.revokedAt);
      assert.equal(await book.revoke('unknown'), undefined);
    });

    test('a revoked or expired key gets no new value, which no request could use', async (t) => {
      const book = new KeyBook(await open(t));
      const { record } = await book.create('alice', {}, false);
      const expired = await book.update(record.id, { expiresAt: '2020-01-01T00:00:00.000Z' });
      await assert.rejects(book.rotate(record.id, 0), ClosedKeyError);
      assert.deepEqual(await book.find(record.id), expired);
      await book.update(record.id, { expiresAt: undefined });
      assert.ok((await book.rotate(record.id, 0)) !== undefined);
      const revoked = await book.revoke(record.id);
      await assert.rejects(book.rotate(record.id, 0), /the key was revoked at .*: create a new key/);
      assert.deepEqual(await book.find(record.id), revoked);
    });

    test('concurrent changes of one key are all applied', async (t) => {
      const book = new KeyBook(await open(t));
      const { record } = await book.create('alice', {}, false);
      await Promise.all([
        book.update(record.id, { methods: ['eth_call'] }),
        book.revoke(record.id),
        book.update(record.id, { networks: ['mainnet'] }),
      ]);
      const after = await book.find(record.id);
      assert.ok(after?.revokedAt !== undefined);
      assert.deepEqual(after.settings, { methods: ['eth_call'], networks: ['mainnet'] });
    });

    test('names with control characters, empty and long names are refused', async (t) => {
      const book = new KeyBook(await open(t));
      for (const bad of ['', 'a\nb', 'x'.repeat(65), '\u001b[0m']) {
        await assert.rejects(book.create(bad, {}, false), ZodError);
      }
    });
  });
}

test('the files on disk do not contain the key', async (t) => {
  const folder = makeFolder(t);
  const { key, secret, record } = await new KeyBook(openLmdb(t, folder)).create('alice', {}, true);
  const files = readdirSync(join(folder, 'keys'));
  const text = files.map((file) => readFileSync(join(folder, 'keys', file), 'latin1')).join('');
  assert.ok(text.includes(record.id));
  assert.ok(!text.includes(key) && !text.includes(secret as string));
});

test('malformed records in Valkey admit no key', { skip: NO_REDIS }, async (t) => {
  const server = await openServer(t);
  const client = await openClient(t, server);
  const table = await openRedis(t, server);
  const hash = hashApiKey('0'.repeat(32));
  await client.send('HSET', '{test:keys}:ids', hash, 'aaaaaaaaaaaa');
  for (const garbage of ['{}', 'no json', '{"id":"aaaaaaaaaaaa","name":"x","hashes":[]}']) {
    await client.send('HSET', '{test:keys}:records', 'aaaaaaaaaaaa', garbage);
    await assert.rejects(table.findByHash(hash), /contains a malformed key/);
  }
  await client.send('DEL', '{test:keys}:records');
  assert.equal(await table.findByHash(hash), undefined);
});
