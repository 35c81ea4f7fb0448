import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { KeyBook } from '../../src/access/keys/key-book.ts';
import type { KeyRecord } from '../../src/access/keys/key-record.ts';
import { KeysUnreadableError, type KeyTable } from '../../src/access/keys/key-table.ts';
import { StoredKeys } from '../../src/access/stored-keys.ts';
import { makeFolder, openLmdb, STORES } from './key-tables.ts';

const STALE_MS = 60_000;

/** Opens the keys of a table, on a clock that only the test advances. */
function watch(table: KeyTable): { keys: StoredKeys; clock: { now: number; stale: number } } {
  const clock = { now: 1_000, stale: 0 };
  const onStale = (): void => void clock.stale++;
  const keys = new StoredKeys({ table, defaults: {}, staleMs: STALE_MS, onStale, now: () => clock.now });
  return { keys, clock };
}

for (const { name, skip, open } of STORES) {
  describe(`keys in ${name}`, { skip }, () => {
    test('a created key is valid, any other is not', async (t) => {
      const table = await open(t);
      const { keys } = watch(table);
      const { key, record } = await new KeyBook(table).create('alice', {}, false);
      assert.equal(keys.isKnown(key), false);
      for (let time = 0; time < 2; time++) {
        assert.deepEqual(await keys.verify(key), { id: record.id, name: 'alice' });
      }
      assert.equal(keys.isKnown(key), true);
      for (const wrong of ['', 'demo', key.toUpperCase(), `${key}0`, '0'.repeat(32), 'é'.repeat(32)]) {
        assert.equal(await keys.verify(wrong), undefined);
        assert.equal(keys.isKnown(wrong), false);
      }
    });

    test('a revoked key is refused within half a second', async (t) => {
      const table = await open(t);
      const { keys, clock } = watch(table);
      const book = new KeyBook(table);
      const { key, record } = await book.create('alice', {}, false);
      await keys.verify(key);
      await book.revoke(record.id);
      clock.now += 500;
      assert.equal(await keys.verify(key), undefined);
      assert.equal(keys.isKnown(key), false);
    });

    test('a key is valid until it expires, and its previous form until the end of the rotation', async (t) => {
      const table = await open(t);
      const { keys, clock } = watch(table);
      const book = new KeyBook(table);
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
      const soon = new Date(Date.now() + 60).toISOString();
      const { key } = await book.create('alice', { expiresAt: soon }, false);
      const { key: old, record } = await book.create('bob', {}, false);
      const rotated = await book.rotate(record.id, 60);
      for (const one of [key, old]) assert.ok((await keys.verify(one)) !== undefined);
      t.mock.timers.tick(80);
      // Expired keys are refused even before the table is read again.
      for (const one of [key, old]) assert.equal(await keys.verify(one), undefined);
      clock.now += 500;
      for (const one of [key, old]) assert.equal(await keys.verify(one), undefined);
      assert.equal((await keys.verify(rotated?.key ?? ''))?.id, record.id);
    });
  });
}

test('a key store that is lost and returns is reported once each, a faulty record is not', async (t) => {
  const stored = openLmdb(t);
  const { key } = await new KeyBook(stored).create('alice', {}, false);
  let error: Error | undefined;
  const table = Object.assign(Object.create(stored) as KeyTable, {
    findByHash(hash: string) {
      if (error !== undefined) throw error;
      return stored.findByHash(hash);
    },
  });
  const events: string[] = [];
  const keys = new StoredKeys({
    table,
    defaults: {},
    staleMs: STALE_MS,
    onStale: () => {},
    onLost: () => events.push('lost'),
    onReturned: () => events.push('returned'),
  });
  error = new Error('the key store contains a malformed key');
  assert.throws(() => keys.verify(key), /malformed/);
  assert.deepEqual(events, []);
  error = new KeysUnreadableError();
  for (let time = 0; time < 3; time++) assert.throws(() => keys.verify(key), KeysUnreadableError);
  assert.deepEqual(events, ['lost']);
  error = undefined;
  for (let time = 0; time < 3; time++) assert.equal((await keys.verify(key))?.name, 'alice');
  assert.deepEqual(events, ['lost', 'returned']);
});

test('verify returns the same principal until the record changes', async (t) => {
  const table = openLmdb(t);
  const { keys, clock } = watch(table);
  const book = new KeyBook(table);
  const { key, record } = await book.create('alice', { rate: { perSecond: 1, burst: 1 } }, false);
  const first = keys.verify(key);
  clock.now += 10_000;
  assert.equal(keys.verify(key), first);
  await book.update(record.id, { rate: { perSecond: 2, burst: 2 } });
  clock.now += 500;
  const second = keys.verify(key);
  assert.ok(second !== undefined && !(second instanceof Promise) && second !== first);
  assert.deepEqual(second.terms?.rate, { perSecond: 2, burst: 2 });
});

test('keys without their own terms use the defaults', async (t) => {
  const table = openLmdb(t);
  const defaults = { rate: { perSecond: 7, burst: 8 }, dailyCredits: 9 };
  const keys = new StoredKeys({ table, defaults, staleMs: 0, onStale: () => {} });
  const book = new KeyBook(table);
  const plain = await book.create('plain', {}, false);
  const own = await book.create('own', { dailyCredits: 1 }, false);
  const termsOf = async (key: string) => (await keys.verify(key))?.terms;
  assert.deepEqual((await termsOf(plain.key))?.rate, defaults.rate);
  assert.equal((await termsOf(plain.key))?.dailyCredits, 9);
  assert.equal((await termsOf(own.key))?.dailyCredits, 1);
});

test('known keys remain known under new defaults, which apply at once; a revoked key is forgotten', async (t) => {
  const table = await openLmdb(t);
  const { keys: before, clock } = watch(table);
  const book = new KeyBook(table);
  const [cached, revoked] = [await book.create('kept', {}, false), await book.create('revoked', {}, false)];
  for (const { key } of [cached, revoked]) await before.verify(key);
  const defaults = { dailyCredits: 1_000 };
  const keys = new StoredKeys({
    table,
    defaults,
    staleMs: STALE_MS,
    onStale: () => {},
    now: () => clock.now,
    before,
  });
  assert.equal((await keys.verify(cached.key))?.terms?.dailyCredits, 1_000);
  await book.revoke(revoked.record.id);
  for (const { key } of [cached, revoked]) assert.equal(keys.isKnown(key), true);
  clock.now += 500;
  for (const { key } of [cached, revoked]) await keys.verify(key);
  assert.deepEqual([keys.isKnown(cached.key), keys.isKnown(revoked.key)], [true, false]);
});

test('a key revoked by another process is refused in this one', async (t) => {
  const folder = makeFolder(t);
  const table = openLmdb(t, folder);
  const { keys, clock } = watch(table);
  const { key, record } = await new KeyBook(table).create('alice', {}, false);
  assert.ok(keys.verify(key));
  const at = (file: string): string =>
    JSON.stringify(new URL(`../../src/access/keys/${file}.js`, import.meta.url).href);
  const script = `
    const { KeyBook } = await import(${at('key-book')});
    const { LmdbKeyTable } = await import(${at('lmdb-key-table')});
    const book = new KeyBook(new LmdbKeyTable(${JSON.stringify(folder)}));
    await book.revoke(${JSON.stringify(record.id)});
    await book.close();`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  assert.ok(keys.verify(key));
  clock.now += 500;
  assert.equal(keys.verify(key), undefined);
});

describe('a table that answers asynchronously', () => {
  const RECORD: KeyRecord = {
    id: 'aaaaaaaaaaaa',
    name: 'alice',
    createdAt: new Date().toISOString(),
    hashes: [{ hash: '2ea31f4d14cd6f56cc4b2d1f9f2b2bb1b9a3bd1c0f7a8b2c3d4e5f60718293a4' }],
    settings: {},
  };
  const KEY = '0'.repeat(32);

  /** Creates a table that answers when the test releases it, and finds the record for every hash. */
  function createTable(): { table: KeyTable; reads: ((outcome: 'found' | 'gone' | Error) => void)[] } {
    const reads: ((outcome: 'found' | 'gone' | Error) => void)[] = [];
    const table: KeyTable = {
      findByHash: (hash) =>
        new Promise((resolve, reject) => {
          reads.push((outcome) => {
            if (outcome instanceof Error) reject(outcome);
            else resolve(outcome === 'gone' ? undefined : { ...RECORD, hashes: [{ hash }] });
          });
        }),
      get: () => undefined,
      list: () => [],
      insert: async () => {},
      modify: async () => undefined,
      close: async () => {},
    };
    return { table, reads };
  }

  const complete = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  test('is read again before the cached key expires, once for all callers', async () => {
    const { table, reads } = createTable();
    const { keys, clock } = watch(table);
    const first = keys.verify(KEY);
    reads[0]?.('found');
    assert.equal((await first)?.name, 'alice');
    clock.now += 300;
    for (let i = 0; i < 3; i++) assert.ok(!(keys.verify(KEY) instanceof Promise));
    assert.equal(reads.length, 2);
    reads[1]?.('gone');
    await complete();
    assert.equal(keys.isKnown(KEY), false);
  });

  test('admits recently valid keys for a limited time while it is unavailable', async () => {
    const { table, reads } = createTable();
    const { keys, clock } = watch(table);
    const first = keys.verify(KEY);
    reads[0]?.('found');
    await first;
    clock.now += STALE_MS;
    const late = keys.verify(KEY);
    reads[1]?.(new Error('away'));
    assert.equal((await late)?.name, 'alice');
    assert.equal(clock.stale, 1);
    const stranger = keys.verify('1'.repeat(32));
    reads[2]?.(new Error('away'));
    await assert.rejects(async () => stranger, /away/);
    clock.now += 1;
    const tooLate = keys.verify(KEY);
    reads[3]?.(new Error('away'));
    await assert.rejects(async () => tooLate, /away/);
  });

  test('is notified that a key is unknown, so that it can allow a longer wait', async () => {
    const { table, reads } = createTable();
    const firsts: (boolean | undefined)[] = [];
    const watched: KeyTable = {
      ...table,
      findByHash: (hash, isFirst) => {
        firsts.push(isFirst);
        return table.findByHash(hash, isFirst);
      },
    };
    const { keys, clock } = watch(watched);
    const first = keys.verify(KEY);
    reads[0]?.('found');
    await first;
    clock.now += 600;
    void keys.verify(KEY);
    reads[1]?.('found');
    await complete();
    assert.deepEqual(firsts, [true, false]);
  });

  test('is read once for concurrent calls with an unknown key', async () => {
    const { table, reads } = createTable();
    const { keys } = watch(table);
    const calls = Array.from({ length: 300 }, () => keys.verify(KEY));
    assert.equal(reads.length, 1);
    reads[0]?.('found');
    assert.equal(new Set((await Promise.all(calls)).map((principal) => principal?.name)).size, 1);
  });
});
