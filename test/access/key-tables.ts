/** Stores of keys for tests: one suite runs over all of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { KeyTable } from '../../src/access/keys/key-table.ts';
import { LmdbKeyTable } from '../../src/access/keys/lmdb-key-table.ts';
import { RedisKeyTable } from '../../src/access/keys/redis-key-table.ts';
import { createRedisClient, type RedisClient } from '../../src/shared-store/redis/redis-client.ts';
import { parseRedisUrl } from '../../src/shared-store/redis/redis-url.ts';
import { findRedisProgram, NO_REDIS_REASON, type RedisServer, startRedis } from '../support/redis.ts';

export const NO_REDIS: string | false = findRedisProgram() === undefined && NO_REDIS_REASON;

export function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

export function openLmdb(t: TestContext, folder: string = makeFolder(t)): LmdbKeyTable {
  const table = new LmdbKeyTable(folder);
  t.after(() => table.close());
  return table;
}

export async function openServer(t: TestContext): Promise<RedisServer> {
  const server = await startRedis();
  t.after(() => server.close());
  return server;
}

export async function openClient(t: TestContext, { port }: RedisServer): Promise<RedisClient> {
  const client = createRedisClient({
    target: parseRedisUrl(`redis://127.0.0.1:${port}`),
    valueBytes: 1024 * 1024,
    onFault: () => {},
  });
  t.after(() => client.close());
  await client.waitUntilReady(5_000);
  return client;
}

export async function openRedis(t: TestContext, server?: RedisServer): Promise<RedisKeyTable> {
  const client = await openClient(t, server ?? (await openServer(t)));
  return new RedisKeyTable({ client, prefix: 'test', timeLimitMs: 2_000 });
}

/** Each kind of store, with the reason why it cannot be tested here. */
export const STORES: readonly {
  readonly name: string;
  readonly skip: string | false;
  open(t: TestContext): Promise<KeyTable>;
}[] = [
  { name: 'LMDB', skip: false, open: async (t) => openLmdb(t) },
  { name: 'Valkey', skip: NO_REDIS, open: (t) => openRedis(t) },
];
