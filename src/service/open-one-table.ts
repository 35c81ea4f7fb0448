/** Opens one table of a configuration, for commands and the Admin API. They wait longer for a Valkey or Redis server than requests do. */
import { existsSync } from 'node:fs';
import type { KeyTable } from '../access/keys/key-table.ts';
import { LmdbKeyTable, locateKeys } from '../access/keys/lmdb-key-table.ts';
import type { SharedServer } from '../access/options.ts';
import type { Config } from '../config/config.ts';
import type { RedisClient } from '../shared-store/redis/redis-client.ts';
import { LmdbSpendTable } from '../shared-store/spend/lmdb-spend-table.ts';
import type { SpendTable } from '../shared-store/spend/spend-table.ts';
import { LmdbUsageTable } from '../shared-store/usage/lmdb-usage-table.ts';
import type { UsageTable } from '../shared-store/usage/usage-table.ts';
import { openSharedServer } from './open-shared-server.ts';

/** Time limit of a command to the server, ms. */
const PATIENCE_MS = 5_000;

type Place = Pick<Config, 'access' | 'dataDir'>;

/** Opens only the spent credits of a configuration, to list them. The caller must close the table. */
export async function openSpendTable({ access, dataDir }: Place): Promise<SpendTable> {
  if (access.valkey === undefined) return new LmdbSpendTable(dataDir, () => {});
  const { RedisSpendTable } = await import('../shared-store/spend/redis-spend-table.ts');
  const server = await connect(access.valkey);
  const table = new RedisSpendTable(server);
  return {
    report: (report) => table.report(report),
    list: (account) => table.list(account),
    close: async () => server.client.close(),
  };
}

/** Opens only the usage of a configuration, to list it. The caller must close the table. */
export async function openUsageTable({
  access,
  dataDir,
}: Place): Promise<Pick<UsageTable, 'list' | 'close'>> {
  if (access.valkey === undefined) return new LmdbUsageTable({ dataDir, onFault: () => {} });
  const { RedisUsageTable } = await import('../shared-store/usage/redis-usage-table.ts');
  const server = await connect(access.valkey);
  const table = new RedisUsageTable(server);
  return { list: (day) => table.list(day), close: async () => server.client.close() };
}

/** Returns the folder of the key store if keys are in the data folder and no key was stored there yet. */
export function findMissingKeyStore({ access, dataDir }: Place): string | undefined {
  if (access.valkey !== undefined) return undefined;
  const folder = locateKeys(dataDir);
  return existsSync(folder) ? undefined : folder;
}

/** Opens only the keys of a configuration, for administration. The caller must close the table. */
export async function openKeyTable({ access, dataDir }: Place): Promise<KeyTable> {
  if (access.valkey === undefined) return new LmdbKeyTable(dataDir);
  const { RedisKeyTable } = await import('../access/keys/redis-key-table.ts');
  const server = await connect(access.valkey);
  const table = new RedisKeyTable(server);
  return {
    findByHash: (hash, isFirst) => table.findByHash(hash, isFirst),
    get: (id) => table.get(id),
    list: () => table.list(),
    insert: (record) => table.insert(record),
    modify: (id, change) => table.modify(id, change),
    close: async () => server.client.close(),
  };
}

async function connect(server: SharedServer): Promise<{
  readonly client: RedisClient;
  readonly prefix: string;
  readonly timeLimitMs: number;
}> {
  const client = await openSharedServer(server, () => {});
  await client.waitUntilReady(PATIENCE_MS);
  return { client, prefix: server.prefix, timeLimitMs: PATIENCE_MS };
}
