/** Tables of limits for tests: one suite runs over all of them. */
import type { TestContext } from 'node:test';
import type { LimitTable } from '../../../src/access/limits/limit-table.ts';
import { LmdbLimitTable } from '../../../src/access/limits/lmdb-limit-table.ts';
import { RedisLimitTable } from '../../../src/access/limits/redis-limit-table.ts';
import type { RedisServer } from '../../support/redis.ts';
import { makeFolder, NO_REDIS, openClient, openServer } from '../key-tables.ts';

export async function openRedisLimits(t: TestContext, server: RedisServer): Promise<RedisLimitTable> {
  const client = await openClient(t, server);
  const table = new RedisLimitTable({ client, prefix: 'test', timeLimitMs: 1_000, processes: 4 });
  t.after(() => table.close());
  return table;
}

/** Each kind of table, opened by as many processes as a test needs. */
export const TABLES: readonly {
  readonly name: string;
  readonly skip: string | false;
  open(t: TestContext, processes: number): Promise<LimitTable[]>;
}[] = [
  {
    name: 'LMDB',
    skip: false,
    open: async (t, processes) => {
      // LMDB shares two environments of one folder in one process, so that they are one table.
      const table = new LmdbLimitTable(makeFolder(t), () => {});
      t.after(() => table.close());
      return Array.from({ length: processes }, () => table);
    },
  },
  {
    name: 'Valkey',
    skip: NO_REDIS,
    open: async (t, processes) => {
      const server = await openServer(t);
      return Promise.all(Array.from({ length: processes }, () => openRedisLimits(t, server)));
    },
  },
];
