import type { KeyTable } from '../access/keys/key-table.ts';
import { LmdbKeyTable } from '../access/keys/lmdb-key-table.ts';
import { KnownCredentials } from '../access/known-credentials.ts';
import type { LimitTable } from '../access/limits/limit-table.ts';
import { Limiter } from '../access/limits/limiter.ts';
import { LmdbLimitTable } from '../access/limits/lmdb-limit-table.ts';
import type { SharedServer } from '../access/options.ts';
import { StoredKeys } from '../access/stored-keys.ts';
import { createTokenVerifier } from '../access/tokens.ts';
import type { Config } from '../config/config.ts';
import type { Access } from '../gateway/admission.ts';
import type { Logger } from '../observe/logger.ts';
import type { RedisClient, RedisFault } from '../redis/redis-client.ts';
import { OccasionalLog } from '../util/occasional-log.ts';

/** What decides who comes in, and how to close it. */
export type OpenAccess = Access & { close(): Promise<void> };

/** No reply of ours is longer: a record of a key, or a list of them. */
const VALUE_BYTES = 64 * 1024 * 1024;
/** How long looking after keys may wait, milliseconds. */
const PATIENCE_MS = 5_000;

type Tables = { readonly keys: KeyTable; readonly limits: LimitTable; close(): Promise<void> };

/** Opens keys and limits where the configuration has them. @param processes that serve it on this machine */
export async function openAccess(config: Config, processes: number, log: Logger): Promise<OpenAccess> {
  const { access, networks } = config;
  const warn = createFaultLog(log);
  const tables = await openTables(config, processes, warn);
  const keys = new StoredKeys({
    table: tables.keys,
    defaults: {
      ...(access.rate !== undefined && { rate: access.rate }),
      ...(access.dailyCredits !== undefined && { dailyCredits: access.dailyCredits }),
    },
    staleMs: access.staleKeys,
    onStale: () => warn('keys'),
  });
  const rates = Object.entries(networks).flatMap(([name, { rate }]) =>
    rate === undefined ? [] : [[name, rate] as const],
  );
  const limiter = new Limiter({ table: tables.limits, failures: access.failures, networks: new Map(rates) });
  return {
    keys,
    tokens: createTokenVerifier(access.jwt),
    credentials: new KnownCredentials(),
    limiter,
    async close() {
      await limiter.close();
      await tables.close();
    },
  };
}

async function openTables(
  { access, dataDir }: Config,
  processes: number,
  warn: (about: string) => void,
): Promise<Tables> {
  if (access.valkey === undefined) {
    const keys = new LmdbKeyTable(dataDir);
    const limits = new LmdbLimitTable(dataDir, () => warn('limits'));
    return {
      keys,
      limits,
      async close() {
        await limits.close();
        await keys.close();
      },
    };
  }
  const { prefix, timeLimit } = access.valkey;
  const client = await openClient(access.valkey, warn);
  // Loaded here only: with the client it takes 20 ms.
  const { RedisKeyTable } = await import('../access/keys/redis-key-table.ts');
  const { RedisLimitTable } = await import('../access/limits/redis-limit-table.ts');
  const keys = new RedisKeyTable({ client, prefix, timeLimitMs: timeLimit });
  const limits = new RedisLimitTable({ client, prefix, timeLimitMs: timeLimit, processes });
  return {
    keys,
    limits,
    async close() {
      await limits.close();
      await keys.close();
      client.close();
    },
  };
}

/** The keys of a configuration alone, to be looked after. Waits for a server longer than requests do. */
export async function openKeyTable({
  access,
  dataDir,
}: Pick<Config, 'access' | 'dataDir'>): Promise<KeyTable> {
  if (access.valkey === undefined) return new LmdbKeyTable(dataDir);
  const { RedisKeyTable } = await import('../access/keys/redis-key-table.ts');
  const client = await openClient(access.valkey, () => {});
  await client.waitUntilReady(PATIENCE_MS);
  const table = new RedisKeyTable({ client, prefix: access.valkey.prefix, timeLimitMs: PATIENCE_MS });
  return {
    findByHash: (hash, isFirst) => table.findByHash(hash, isFirst),
    list: () => table.list(),
    insert: (record) => table.insert(record),
    modify: (id, change) => table.modify(id, change),
    close: async () => client.close(),
  };
}

async function openClient({ url }: SharedServer, warn: (about: RedisFault) => void): Promise<RedisClient> {
  const { createRedisClient } = await import('../redis/redis-client.ts');
  const { parseRedisUrl } = await import('../redis/redis-url.ts');
  return createRedisClient({ target: parseRedisUrl(url), valueBytes: VALUE_BYTES, onFault: warn });
}

function createFaultLog(log: Logger): (about: string) => void {
  const occasional = new OccasionalLog((about, faults) =>
    log.warn({ about, faults }, 'keys and limits are not to be had where they are shared'),
  );
  return (about) => occasional.report(about);
}
