import type { KeyTable } from '../access/keys/key-table.ts';
import { LmdbKeyTable } from '../access/keys/lmdb-key-table.ts';
import { KnownCredentials } from '../access/known-credentials.ts';
import type { LimitTable } from '../access/limits/limit-table.ts';
import { Limiter } from '../access/limits/limiter.ts';
import { LmdbLimitTable } from '../access/limits/lmdb-limit-table.ts';
import type { AccessOptions, SharedServer } from '../access/options.ts';
import { StoredKeys } from '../access/stored-keys.ts';
import { createTokenVerifier } from '../access/tokens.ts';
import type { Config } from '../config/config.ts';
import type { AdmissionParts } from '../gateway/admission.ts';
import type { Logger } from '../observe/logger.ts';
import { SpendLedger } from '../pool/spend/spend-ledger.ts';
import type { HeightTable } from '../shared-store/records/height-table.ts';
import { LmdbHeightTable } from '../shared-store/records/lmdb-height-table.ts';
import { LmdbRecordTable } from '../shared-store/records/lmdb-record-table.ts';
import type { RecordTable } from '../shared-store/records/record-table.ts';
import type { RedisClient, RedisFault } from '../shared-store/redis/redis-client.ts';
import { LmdbSpendTable } from '../shared-store/spend/lmdb-spend-table.ts';
import type { SpendTable } from '../shared-store/spend/spend-table.ts';
import { systemClock } from '../util/clock.ts';
import { steadyTime } from '../util/steady-time.ts';
import { describeSystemError } from '../util/system-error.ts';
import { fingerprint } from './fingerprint.ts';

/** Access control of requests, and its resources. */
export type OpenAccess = AdmissionParts & {
  readonly keys: StoredKeys;
  readonly tables: Tables;
  /**
   * Fingerprints of two groups of settings: for keys (`settings`) and for tokens (`issuers`). A reload reuses the key or token cache whose
   * fingerprint is unchanged.
   */
  readonly settings: string;
  readonly issuers: string;
  close(): Promise<void>;
};

/** Maximum size of a reply, bytes: the record of a key, or a list of records. */
const VALUE_BYTES = 64 * 1024 * 1024;
/** Factor by which the time limit is longer for heights, because a slow reply is better than a served head that goes back. */
const HEIGHT_PATIENCE = 10;
/** Time limit of key administration, ms. */
const PATIENCE_MS = 5_000;
/** Maximum wait for the Valkey or Redis server at the start, ms; if the server is still unavailable, the service starts without it. */
const CONNECT_LIMIT_MS = 2_000;
/** Maximum number of pending commands: all keys in use may be read at the same time. */
const COMMANDS = 16_384;

type Tables = {
  readonly keys: KeyTable;
  readonly limits: LimitTable;
  /** Storage of filters. */
  readonly records: RecordTable;
  /** Table of the heights of served heads; absent if only one process uses the tables. */
  readonly heights: HeightTable | undefined;
  /** Credits that calls to nodes cost. */
  readonly spending: SpendLedger;
  /** Number of configurations that use the tables: one, or two during a reload. */
  users: number;
  close(): Promise<void>;
};

/**
 * Opens the keys and limits of a configuration. The location of the tables cannot change while the service runs, so the tables of `before` are reused
 * with their connections.
 * @param processes number of processes on this machine that serve this configuration
 */
export async function openAccess(
  config: Config,
  processes: number,
  log: Logger,
  before?: OpenAccess,
): Promise<OpenAccess> {
  const { access, networks } = config;
  const warn = createFaultLog(log);
  const tables = before?.tables ?? (await openTables(config, processes, warn));
  tables.users++;
  const settings = fingerprint([access.rate, access.dailyCredits, access.staleKeys]);
  const isSame = before?.settings === settings;
  const keys = isSame ? before.keys : openKeys(access, tables, warn, before?.keys);
  const issuers = fingerprint(access.jwt);
  const knowsTokens = before?.issuers === issuers;
  const rates = Object.entries(networks).flatMap(([name, { rate }]) =>
    rate === undefined ? [] : [[name, rate] as const],
  );
  const limiter = new Limiter({ table: tables.limits, failures: access.failures, networks: new Map(rates) });
  return {
    keys,
    tokens: knowsTokens ? before.tokens : createTokenVerifier(access.jwt),
    // Known credentials remain known after a reload, because they only admit a client to the credential check, which still runs.
    credentials: before?.credentials ?? new KnownCredentials(),
    limiter,
    tables,
    settings,
    issuers,
    async close() {
      await limiter.close();
      if (--tables.users === 0) await tables.close();
    },
  };
}

function openKeys(
  access: AccessOptions,
  { keys }: Tables,
  warn: (about: string) => void,
  before: StoredKeys | undefined,
): StoredKeys {
  return new StoredKeys({
    table: keys,
    defaults: {
      ...(access.rate !== undefined && { rate: access.rate }),
      ...(access.dailyCredits !== undefined && { dailyCredits: access.dailyCredits }),
    },
    staleMs: access.staleKeys,
    onStale: () => warn('keys'),
    ...(before !== undefined && { before }),
  });
}

async function openTables({ access, dataDir }: Config, processes: number, warn: FaultLog): Promise<Tables> {
  if (access.valkey === undefined) {
    const keys = new LmdbKeyTable(dataDir);
    const limits = new LmdbLimitTable(dataDir, () => warn('limits'));
    const records = new LmdbRecordTable(dataDir, (error) => warn('records', error));
    const heights =
      processes > 1 ? new LmdbHeightTable(dataDir, (error) => warn('heights', error)) : undefined;
    const spent = new LmdbSpendTable(dataDir, (error) => warn('spend', error));
    return joinTables({ keys, limits, records, heights, spent }, () => {});
  }
  const { prefix, timeLimit } = access.valkey;
  const client = await openClient(access.valkey, warn);
  // Requests that arrive before the connection is open would be rejected.
  await client.waitUntilReady(CONNECT_LIMIT_MS);
  // Loaded on demand, because these modules and the Redis client take 20 ms to load.
  const { RedisKeyTable } = await import('../access/keys/redis-key-table.ts');
  const { RedisLimitTable } = await import('../access/limits/redis-limit-table.ts');
  const { RedisHeightTable } = await import('../shared-store/records/redis-height-table.ts');
  const { RedisRecordTable } = await import('../shared-store/records/redis-record-table.ts');
  const { RedisSpendTable } = await import('../shared-store/spend/redis-spend-table.ts');
  const keys = new RedisKeyTable({ client, prefix, timeLimitMs: timeLimit });
  const limits = new RedisLimitTable({ client, prefix, timeLimitMs: timeLimit, processes });
  const records = new RedisRecordTable({ client, prefix, timeLimitMs: timeLimit });
  const heights = new RedisHeightTable({ client, prefix, timeLimitMs: HEIGHT_PATIENCE * timeLimit });
  const spent = new RedisSpendTable({ client, prefix, timeLimitMs: timeLimit });
  return joinTables({ keys, limits, records, heights, spent }, () => client.close());
}

function joinTables(
  {
    spent,
    ...tables
  }: Pick<Tables, 'keys' | 'limits' | 'records' | 'heights'> & { readonly spent: SpendTable },
  disconnect: () => void,
): Tables {
  const { keys, limits, records, heights } = tables;
  const spending = new SpendLedger({ table: spent, clock: systemClock, wallTime: steadyTime });
  return {
    ...tables,
    spending,
    users: 0,
    async close() {
      await spending.close();
      await spent.close();
      await limits.close();
      await heights?.close();
      await records.close();
      await keys.close();
      disconnect();
    },
  };
}

/** Opens only the spent credits of a configuration, to list them. The caller must close the table. */
export async function openSpendTable({
  access,
  dataDir,
}: Pick<Config, 'access' | 'dataDir'>): Promise<SpendTable> {
  if (access.valkey === undefined) return new LmdbSpendTable(dataDir, () => {});
  const { RedisSpendTable } = await import('../shared-store/spend/redis-spend-table.ts');
  const client = await openClient(access.valkey, () => {});
  await client.waitUntilReady(PATIENCE_MS);
  const table = new RedisSpendTable({ client, prefix: access.valkey.prefix, timeLimitMs: PATIENCE_MS });
  return {
    report: (report) => table.report(report),
    list: (account) => table.list(account),
    close: async () => client.close(),
  };
}

/** Opens only the keys of a configuration, for administration. Administration waits longer for a Valkey or Redis server than requests do. */
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
    get: (id) => table.get(id),
    list: () => table.list(),
    insert: (record) => table.insert(record),
    modify: (id, change) => table.modify(id, change),
    close: async () => client.close(),
  };
}

async function openClient({ url }: SharedServer, warn: (about: RedisFault) => void): Promise<RedisClient> {
  const { createRedisClient } = await import('../shared-store/redis/redis-client.ts');
  const { parseRedisUrl } = await import('../shared-store/redis/redis-url.ts');
  return createRedisClient({
    target: parseRedisUrl(url),
    valueBytes: VALUE_BYTES,
    commands: COMMANDS,
    onFault: warn,
  });
}

/** @param error cause, if known */
type FaultLog = (about: string, error?: unknown) => void;

function createFaultLog(log: Logger): FaultLog {
  return (fault, error) =>
    log.warn(
      { fault, ...(error !== undefined && { reason: describeSystemError(error) }) },
      'the shared store of keys, limits and filters is not available',
    );
}
