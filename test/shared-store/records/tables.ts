/** Tables of records for tests: the same suites run over all three kinds. */
import type { TestContext } from 'node:test';
import { LmdbRecordTable } from '../../../src/shared-store/records/lmdb-record-table.ts';
import type { RecordTable } from '../../../src/shared-store/records/record-table.ts';
import { RedisRecordTable } from '../../../src/shared-store/records/redis-record-table.ts';
import { makeFolder, NO_REDIS, openClient, openServer } from '../../access/key-tables.ts';
import { MemoryRecordTable } from '../../support/memory-record-table.ts';
import type { RedisServer } from '../../support/redis.ts';

export async function openRedisRecords(t: TestContext, server: RedisServer): Promise<RedisRecordTable> {
  const client = await openClient(t, server);
  return new RedisRecordTable({ client, prefix: 'test', timeLimitMs: 50 });
}

export function openLmdbRecords(t: TestContext, folder: string): LmdbRecordTable {
  const table = new LmdbRecordTable(folder, () => {});
  t.after(() => table.close());
  return table;
}

/** Each kind of table, as `count` users of the same records. */
export const TABLES: readonly {
  readonly name: string;
  readonly skip: string | false;
  open(t: TestContext, count: number): Promise<readonly RecordTable[]>;
}[] = [
  {
    name: 'memory',
    skip: false,
    open: async (_, count) => {
      const table = new MemoryRecordTable();
      return Array.from({ length: count }, () => table);
    },
  },
  {
    name: 'LMDB',
    skip: false,
    open: async (t, count) => {
      const folder = makeFolder(t);
      return Array.from({ length: count }, () => openLmdbRecords(t, folder));
    },
  },
  {
    name: 'Valkey',
    skip: NO_REDIS,
    open: async (t, count) => {
      const server = await openServer(t);
      return Promise.all(Array.from({ length: count }, () => openRedisRecords(t, server)));
    },
  },
];
