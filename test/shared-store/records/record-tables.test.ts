/** Records expire, are counted by owner, and are replaced only by a caller that read their last version. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  MAX_OWNER_BYTES,
  MAX_RECORD_BYTES,
  type RecordTable,
} from '../../../src/shared-store/records/record-table.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { TABLES } from './tables.ts';

const LONG = 60_000;

async function readText(table: RecordTable, name: string): Promise<string | undefined> {
  return (await table.read(name))?.text;
}

for (const { name, skip, open } of TABLES) {
  describe(`records in ${name}`, { skip }, () => {
    test('a record can be read by all processes that share the table until it is removed', async (t) => {
      const [a, b] = (await open(t, 2)) as [RecordTable, RecordTable];
      assert.equal(await a.read('filter/key/1'), undefined);
      assert.equal(await a.create('filter/key/1', '{"é":1}', LONG, 10), true);
      assert.equal(await readText(b, 'filter/key/1'), '{"é":1}');
      for (const other of ['filter/key/2', 'filter/other/1', 'sent/key/1']) {
        assert.equal(await b.read(other), undefined, other);
      }
      assert.deepEqual([await b.remove('filter/key/1'), await a.remove('filter/key/1')], [true, false]);
      assert.equal(await readText(a, 'filter/key/1'), undefined);
    });

    test('a record is replaced only by a caller that read its last version', async (t) => {
      const [a, b] = (await open(t, 2)) as [RecordTable, RecordTable];
      await a.create('filter/key/1', '"first"', LONG, 10);
      const version = (await a.read('filter/key/1'))?.version ?? '';
      assert.equal(await b.replace('filter/key/1', version, '"second"', LONG), true);
      assert.equal(await a.replace('filter/key/1', version, '"third"', LONG), false);
      assert.equal(await readText(a, 'filter/key/1'), '"second"');
      // Writing the same text creates a new version.
      const second = (await a.read('filter/key/1'))?.version ?? '';
      assert.equal(await a.replace('filter/key/1', second, '"second"', LONG), true);
      assert.equal(await b.replace('filter/key/1', second, '"lost"', LONG), false);
      assert.equal(await a.replace('filter/key/none', second, '"lost"', LONG), false);
      await a.remove('filter/key/1');
      assert.equal(await a.replace('filter/key/1', second, '"lost"', LONG), false);
      await a.create('filter/key/1', '"again"', LONG, 10);
      assert.equal(
        await a.replace('filter/key/1', second, '"lost"', LONG),
        false,
        'another record of that name',
      );
    });

    test('removeOldest evicts the oldest records at the limits of number and bytes', async (t) => {
      const [a, b] = (await open(t, 2)) as [RecordTable, RecordTable];
      const present = async (names: readonly string[]): Promise<string[]> => {
        const texts = await Promise.all(names.map((one) => readText(b, one)));
        return names.filter((_, at) => texts[at] !== undefined);
      };
      await a.create('removed/1/other', '"other"', LONG / 2, 10);
      const numbered = Array.from({ length: 12 }, (_, at) => `removed/chain/${at}`);
      for (const [at, one] of numbered.entries()) {
        if (at === 10) assert.equal(await a.create(one, String(at), LONG, 10), false);
        assert.equal(await a.create(one, String(at), LONG + at, 10, 'removeOldest'), true, one);
        const left = await present(numbered);
        assert.deepEqual(left, numbered.slice(at + 1 - left.length, at + 1), 'the newest are left');
        assert.ok(left.length >= Math.min(at + 1, 7), String(left.length));
      }
      const long = 'x'.repeat(MAX_RECORD_BYTES);
      const full = Array.from({ length: 40 }, (_, at) => `removed/full/${at}`);
      for (const [at, one] of full.entries())
        assert.equal(await a.create(one, long, LONG + at, 100, 'removeOldest'), true, one);
      const left = await present(full);
      assert.deepEqual(left, full.slice(-left.length));
      assert.ok(left.length * MAX_RECORD_BYTES <= MAX_OWNER_BYTES && left.length >= 24, String(left.length));
      assert.equal(await readText(b, 'removed/1/other'), '"other"');
    });

    test('only one of several concurrent replacements succeeds', async (t) => {
      const tables = await open(t, 3);
      await tables[0]?.create('filter/key/1', '0', LONG, 10);
      let replaced = 0;
      await Promise.all(
        tables.flatMap((table) =>
          Array.from({ length: 4 }, async () => {
            for (let done = 0; done < 10; ) {
              const { text = '', version = '' } = (await table.read('filter/key/1')) ?? {};
              if (!(await table.replace('filter/key/1', version, String(Number(text) + 1), LONG))) continue;
              done++;
              replaced++;
            }
          }),
        ),
      );
      assert.equal(replaced, 120);
      assert.equal(await readText(tables[1] as RecordTable, 'filter/key/1'), '120');
    });

    test('a record expires, and each replacement renews its lifetime', async (t) => {
      const [table] = (await open(t, 1)) as [RecordTable];
      await table.create('filter/key/short', '1', 1_000, 10);
      await table.create('filter/key/renewed', '1', 1_000, 10);
      const version = (await table.read('filter/key/renewed'))?.version ?? '';
      assert.equal(await table.replace('filter/key/renewed', version, '2', LONG), true);
      await waitUntil(async () => (await table.read('filter/key/short')) === undefined);
      assert.equal(await readText(table, 'filter/key/renewed'), '2');
      assert.equal(await table.remove('filter/key/short'), false);
    });

    test('the number of records per owner and kind is bounded, independent of other owners', async (t) => {
      const [a, b] = (await open(t, 2)) as [RecordTable, RecordTable];
      for (let i = 0; i < 5; i++) assert.equal(await a.create(`filter/key/${i}`, '1', LONG, 5), true);
      assert.equal(await b.create('filter/key/5', '1', LONG, 5), false);
      assert.equal(await b.read('filter/key/5'), undefined);
      for (const other of ['filter/key2/5', 'filter/ke/5', 'sent/key/5']) {
        assert.equal(await b.create(other, '1', LONG, 5), true, other);
      }
      assert.equal(await b.create('filter/key/4', '"over it"', LONG, 5), true);
      await a.remove('filter/key/0');
      assert.equal(await b.create('filter/key/5', '1', LONG, 5), true);
      assert.equal(await a.create('filter/key/6', '1', LONG, 5), false);
      // Replacements do not change the count.
      const version = (await a.read('filter/key/5'))?.version ?? '';
      assert.equal(await a.replace('filter/key/5', version, '2', LONG), true);
      assert.equal(await a.create('filter/key/6', '1', LONG, 5), false);
    });

    test('expired records do not count', async (t) => {
      const [table] = (await open(t, 1)) as [RecordTable];
      for (let i = 0; i < 50; i++) assert.equal(await table.create(`filter/key/${i}`, '1', 1_000, 50), true);
      assert.equal(await table.create('filter/key/50', '1', LONG, 50), false);
      await waitUntil(async () => (await table.read('filter/key/49')) === undefined);
      for (let i = 0; i < 50; i++) assert.equal(await table.create(`filter/key/n${i}`, '1', LONG, 50), true);
      assert.equal(await table.create('filter/key/50', '1', LONG, 50), false);
    });

    test('the bytes per record and per owner are bounded', async (t) => {
      const [table] = (await open(t, 1)) as [RecordTable];
      const largest = JSON.stringify('x'.repeat(MAX_RECORD_BYTES - 2));
      for (let i = 0; i < MAX_OWNER_BYTES / MAX_RECORD_BYTES; i++) {
        assert.equal(await table.create(`filter/key/${i}`, largest, LONG, 1_000), true);
      }
      assert.equal((await readText(table, 'filter/key/0'))?.length, MAX_RECORD_BYTES);
      assert.equal(await table.create('filter/key/small', '1', LONG, 1_000), false);
      assert.equal(await table.create('filter/other/small', '1', LONG, 1_000), true);
      await table.remove('filter/key/0');
      assert.equal(await table.create('filter/key/small', '1', LONG, 1_000), true);
      await assert.rejects(
        async () => table.create('filter/other/large', `${largest} `, LONG, 1_000),
        /a record has more than 262144 bytes/,
      );
    });
  });
}
