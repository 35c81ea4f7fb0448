/** The cost of a new record for an owner at its limit does not depend on its number of records, and a refusal writes nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LmdbRecordTable } from '../../../src/shared-store/records/lmdb-record-table.ts';
import { MAX_OWNER_BYTES, type RecordTable } from '../../../src/shared-store/records/record-table.ts';
import { RedisRecordTable } from '../../../src/shared-store/records/redis-record-table.ts';
import { makeFolder, NO_REDIS, openClient, openServer } from '../../access/key-tables.ts';
import { MemoryRecordTable } from '../../support/memory-record-table.ts';
import { countCommands, countLmdb, countSteps, type Reads } from './count-reads.ts';
import { openLmdbRecords } from './tables.ts';

const LIFE = 600_000;
const TIMES = 20;
const SMALL = '{"kind":"blocks"}';
/** A filter with many addresses: 211 such records are 8 MiB. */
const LARGE = 'x'.repeat(39_750);

type Owner = { readonly name: string; readonly text: string; readonly max: number };

const FEW: Owner = { name: 'filter/few', text: SMALL, max: 10 };
const FULL: readonly Owner[] = [
  { name: 'filter/number', text: SMALL, max: 1_000 },
  { name: 'filter/bytes', text: LARGE, max: 1_000 },
  { name: 'sent/number', text: SMALL, max: 1_024 },
];

async function fill(table: RecordTable, { name, text, max }: Owner): Promise<void> {
  let made = 0;
  while (await table.create(`${name}/${made}`, text, LIFE, max)) made++;
  assert.ok(made === max || (made + 1) * text.length > MAX_OWNER_BYTES, `${name} has ${made}`);
}

/** Sends `TIMES` requests. */
type Send = (owner: Owner, whenFull: 'refuse' | 'removeOldest', from: number) => void;

function askIn(table: LmdbRecordTable | MemoryRecordTable): Send {
  return ({ name, text, max }, whenFull, from) => {
    for (let i = from; i < from + TIMES; i++) {
      const isMade = table.create(`${name}/new${i}`, text, LIFE, max, whenFull);
      assert.equal(isMade, whenFull === 'removeOldest');
    }
  };
}

describe('an owner at its limit', () => {
  for (const owner of FULL) {
    test(`is refused without a write in LMDB: ${owner.name}`, async (t) => {
      const table = openLmdbRecords(t, makeFolder(t));
      for (const one of [FEW, owner]) await fill(table, one);
      const ask = askIn(table);
      const count = (one: Owner, from = 0): Reads => countLmdb(() => ask(one, 'refuse', from));
      const [few, full] = [count(FEW), count(owner)];
      assert.deepEqual(full, few);
      assert.equal(full.writes, 0, 'a refusal writes nothing');
      assert.ok(full.rows <= TIMES, `${full.rows} rows read for ${TIMES} refusals`);
      const replacing = (one: Owner): Reads => countLmdb(() => ask(one, 'removeOldest', TIMES));
      const [fewMade, fullMade] = [replacing(FEW), replacing(owner)];
      assert.equal(fullMade.writes, fewMade.writes);
      assert.ok(fullMade.rows <= fewMade.rows + TIMES, `${fullMade.rows} of ${fewMade.rows}`);
    });

    test(`takes as few steps as any other owner in memory: ${owner.name}`, async () => {
      const table = new MemoryRecordTable();
      for (const one of [FEW, owner]) await fill(table, one);
      const ask = askIn(table);
      for (const [at, whenFull] of (['refuse', 'removeOldest'] as const).entries()) {
        const count = (one: Owner): Reads => countSteps(() => ask(one, whenFull, at * TIMES));
        const [few, full] = [count(FEW), count(owner)];
        assert.ok(full.rows <= few.rows + 2 * TIMES, `${whenFull}: ${full.rows} of ${few.rows}`);
      }
    });

    test(`is refused without a write in Valkey: ${owner.name}`, { skip: NO_REDIS }, async (t) => {
      const client = await openClient(t, await openServer(t));
      const table = new RedisRecordTable({ client, prefix: 'test', timeLimitMs: 5_000 });
      for (const one of [FEW, owner]) await fill(table, one);
      const count = (one: Owner): Promise<Reads> =>
        countCommands(client, async () => {
          for (let i = 0; i < TIMES; i++)
            assert.equal(await table.create(`${one.name}/new${i}`, one.text, LIFE, one.max), false);
        });
      const [few, full] = [await count(FEW), await count(owner)];
      assert.deepEqual(full, few);
      assert.equal(full.writes, 0);
      assert.ok(full.rows <= TIMES * 16, `${full.rows} commands for ${TIMES} refusals`);
    });
  }

  test('is counted only once in Valkey if an earlier version without sums filled it', {
    skip: NO_REDIS,
  }, async (t) => {
    const client = await openClient(t, await openServer(t));
    const table = new RedisRecordTable({ client, prefix: 'test', timeLimitMs: 5_000 });
    await fill(table, FULL[1] as Owner);
    await client.send('DEL', '{test:records:filter/bytes}:sum');
    const refuse = async (): Promise<void> =>
      assert.equal(await table.create('filter/bytes/new', LARGE, LIFE, 1_000), false);
    const first = await countCommands(client, refuse);
    assert.ok(first.rows >= 1_000, `${first.rows} commands`);
    const second = await countCommands(client, refuse);
    assert.ok(second.rows <= 16, `${second.rows} commands`);
    assert.equal(await table.remove('filter/bytes/0'), true);
    assert.equal(await table.create('filter/bytes/new', LARGE, LIFE, 1_000), true);
    assert.equal(await table.create('filter/bytes/newer', LARGE, LIFE, 1_000), false);
  });
});
