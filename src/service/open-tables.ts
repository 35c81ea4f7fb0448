import type { KeyTable } from '../access/keys/key-table.ts';
import { LmdbKeyTable } from '../access/keys/lmdb-key-table.ts';
import type { LimitTable } from '../access/limits/limit-table.ts';
import { LmdbLimitTable } from '../access/limits/lmdb-limit-table.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../observe/logger.ts';
import { SpendLedger } from '../pool/spend/spend-ledger.ts';
import type { HeightTable } from '../shared-store/records/height-table.ts';
import { LmdbHeightTable } from '../shared-store/records/lmdb-height-table.ts';
import { LmdbRecordTable } from '../shared-store/records/lmdb-record-table.ts';
import type { RecordTable } from '../shared-store/records/record-table.ts';
import { LmdbSpendTable } from '../shared-store/spend/lmdb-spend-table.ts';
import type { SpendTable } from '../shared-store/spend/spend-table.ts';
import { LmdbUsageTable } from '../shared-store/usage/lmdb-usage-table.ts';
import { UsageLedger, type UsageSource } from '../shared-store/usage/usage-ledger.ts';
import type { UsageTable } from '../shared-store/usage/usage-table.ts';
import { systemClock } from '../util/clock.ts';
import { steadyTime } from '../util/steady-time.ts';
import { describeSystemError } from '../util/system-error.ts';
import { openSharedServer } from './open-shared-server.ts';

/** Factor by which the time limit is longer for heights, because a slow reply is better than a served head that goes back. */
const HEIGHT_PATIENCE = 10;
/** Maximum wait for the Valkey or Redis server at the start, ms; if the server is still unavailable, the service starts without it. */
const CONNECT_LIMIT_MS = 2_000;

export type TableParts = {
  /** Number of processes on this machine that serve the configuration. */
  readonly processes: number;
  /** Calls of this process that are not reported yet. */
  readonly usage: UsageSource;
  readonly log: Logger;
};

/** Tables of a configuration that processes share. */
export type SharedTables = {
  readonly keys: KeyTable;
  readonly limits: LimitTable;
  /** Storage of filters. */
  readonly records: RecordTable;
  /** Table of the heights of served heads; absent if only one process uses the tables. */
  readonly heights: HeightTable | undefined;
  /** Credits that calls to nodes cost. */
  readonly spending: SpendLedger;
  /** Called for each check of a key that had to use an earlier result, because the keys are unavailable. */
  readonly onStale: () => void;
  /** Returns whether the Valkey or Redis server of the tables answers; absent where the tables are files. */
  readonly isServerUp?: () => boolean;
  /** Number of configurations that use the tables: one, or two during a reload. */
  users: number;
  close(): Promise<void>;
};

/** Opens the tables of a configuration. A Valkey or Redis server may be unavailable; LMDB tables other than the keys are opened when they are used. */
export async function openTables({ access, dataDir }: Config, parts: TableParts): Promise<SharedTables> {
  const { processes, log } = parts;
  const warn = createFaultLog(log);
  const onStale = (): void => warn('keys');
  if (access.valkey === undefined) {
    const keys = new LmdbKeyTable(dataDir);
    const limits = new LmdbLimitTable(dataDir, () => warn('limits'));
    const records = new LmdbRecordTable(dataDir, (error) => warn('records', error));
    const heights =
      processes > 1 ? new LmdbHeightTable(dataDir, (error) => warn('heights', error)) : undefined;
    const spent = new LmdbSpendTable(dataDir, (error) => warn('spend', error));
    const used = new LmdbUsageTable({ dataDir, onFault: (error) => warn('usage', error) });
    return joinTables({ keys, limits, records, heights, spent, used, onStale }, parts, () => {});
  }
  const { prefix, timeLimit } = access.valkey;
  const client = await openSharedServer(access.valkey, warn);
  // Requests that arrive before the connection is open would be rejected.
  await client.waitUntilReady(CONNECT_LIMIT_MS);
  // Loaded on demand, because these modules and the Redis client take 20 ms to load.
  const { RedisKeyTable } = await import('../access/keys/redis-key-table.ts');
  const { RedisLimitTable } = await import('../access/limits/redis-limit-table.ts');
  const { RedisHeightTable } = await import('../shared-store/records/redis-height-table.ts');
  const { RedisRecordTable } = await import('../shared-store/records/redis-record-table.ts');
  const { RedisSpendTable } = await import('../shared-store/spend/redis-spend-table.ts');
  const { RedisUsageTable } = await import('../shared-store/usage/redis-usage-table.ts');
  const keys = new RedisKeyTable({ client, prefix, timeLimitMs: timeLimit });
  const limits = new RedisLimitTable({ client, prefix, timeLimitMs: timeLimit, processes });
  const records = new RedisRecordTable({ client, prefix, timeLimitMs: timeLimit });
  const heights = new RedisHeightTable({ client, prefix, timeLimitMs: HEIGHT_PATIENCE * timeLimit });
  const spent = new RedisSpendTable({ client, prefix, timeLimitMs: timeLimit });
  const used = new RedisUsageTable({ client, prefix, timeLimitMs: timeLimit });
  const isServerUp = (): boolean => client.isAnswering;
  return joinTables({ keys, limits, records, heights, spent, used, onStale, isServerUp }, parts, () =>
    client.close(),
  );
}

type SingleTables = Pick<
  SharedTables,
  'keys' | 'limits' | 'records' | 'heights' | 'onStale' | 'isServerUp'
> & {
  readonly spent: SpendTable;
  readonly used: UsageTable;
};

function joinTables(
  { spent, used, ...tables }: SingleTables,
  { usage: source, log }: TableParts,
  disconnect: () => void,
): SharedTables {
  const { keys, limits, records, heights } = tables;
  const time = { clock: systemClock, wallTime: steadyTime };
  const spending = new SpendLedger({ table: spent, ...time });
  const usage = new UsageLedger({
    table: used,
    source,
    ...time,
    onLost: (calls) =>
      log.warn(
        { calls },
        'the last calls of this process are not counted in the usage of keys, because its table is not available',
      ),
  });
  return {
    ...tables,
    spending,
    users: 0,
    async close() {
      await spending.close();
      await usage.close();
      await spent.close();
      await used.close();
      await limits.close();
      await heights?.close();
      await records.close();
      await keys.close();
      disconnect();
    },
  };
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
