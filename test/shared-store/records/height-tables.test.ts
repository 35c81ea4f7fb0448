/** Heights of heads in tables that processes share. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import {
  HEIGHT_LEASE_MS,
  HEIGHT_SLACK_MS,
  type HeightTable,
} from '../../../src/shared-store/records/height-table.ts';
import { LmdbHeightTable } from '../../../src/shared-store/records/lmdb-height-table.ts';
import { RedisHeightTable } from '../../../src/shared-store/records/redis-height-table.ts';
import { makeFolder, NO_REDIS, openClient, openServer } from '../../access/key-tables.ts';

const TABLES: readonly {
  readonly name: string;
  readonly skip: string | false;
  open(t: TestContext): Promise<HeightTable>;
}[] = [
  {
    name: 'LMDB',
    skip: false,
    open: async (t) => {
      const table = new LmdbHeightTable(makeFolder(t), assert.ifError);
      t.after(() => table.close());
      return table;
    },
  },
  {
    name: 'Valkey',
    skip: NO_REDIS,
    open: async (t) => {
      const client = await openClient(t, await openServer(t));
      return new RedisHeightTable({ client, prefix: 'test', timeLimitMs: 5_000 });
    },
  },
];

const at = (served: number | undefined, announced = served) => ({ served, announced });

for (const { name, skip, open } of TABLES) {
  describe(`heights in ${name}`, { skip }, () => {
    test('an announced height is served immediately if no process relies on an older one', async (t) => {
      const table = await open(t);
      const first = await table.exchange('c', 'one', at(undefined, 7));
      assert.deepEqual(first, { served: undefined, rising: [], hasReaders: false });
      const second = await table.exchange('c', 'two', at(5));
      assert.equal(second?.served, 7);
      assert.equal(second?.hasReaders, true);
    });

    test('an announced height is served after a lease if other processes rely on an older one', async (t) => {
      const table = await open(t);
      await table.exchange('c', 'one', at(6));
      await table.exchange('c', 'two', at(6));
      const announced = await table.exchange('c', 'one', at(6, 7));
      assert.equal(announced?.hasReaders, true);
      const early = await table.exchange('c', 'two', at(5));
      // On a busy machine the lease may have expired.
      assert.ok(early?.served === 7 || (early?.served === 6 && early.rising[0]?.height === 7));
      await wait(HEIGHT_LEASE_MS + HEIGHT_SLACK_MS);
      assert.equal((await table.exchange('c', 'two', at(6)))?.served, 7);
    });

    test('a height that decreases is visible to other processes, and chains are separate', async (t) => {
      const table = await open(t);
      await table.exchange('c', 'one', at(9));
      await table.exchange('c', 'one', at(3));
      assert.equal((await table.exchange('c', 'two', at(1)))?.served, 3);
      assert.equal((await table.exchange('d', 'two', at(1)))?.served, undefined);
    });
  });
}

test('an unresponsive server counts as unavailable', { skip: NO_REDIS }, async (t) => {
  const server = await openServer(t);
  const client = await openClient(t, server);
  const table = new RedisHeightTable({ client, prefix: 'test', timeLimitMs: 50 });
  server.freeze();
  t.after(() => server.thaw());
  assert.equal(await table.exchange('c', 'one', at(1)), undefined);
});
