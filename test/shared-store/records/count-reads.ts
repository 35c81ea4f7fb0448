/** Counts the operations of a record table: a cost that does not depend on the machine. */
import { type Due, LmdbRows } from '../../../src/shared-store/records/lmdb-rows.ts';
import type { RedisClient } from '../../../src/shared-store/redis/redis-client.ts';
import { LmdbEnvironment } from '../../../src/util/lmdb-environment.ts';

export type Reads = {
  /** Rows and list entries read, commands sent to a server, or steps over entries of a map. */
  readonly rows: number;
  /** Write transactions, or commands that write. */
  readonly writes: number;
};

const LISTS = ['listDue', 'listLate', 'listDueOf', 'listLateOf'] as const;

/** Counts LMDB operations while synchronous `work` runs. */
export function countLmdb(work: () => void): Reads {
  const { counts, end } = beginCounting();
  try {
    work();
  } finally {
    end();
  }
  return counts;
}

/** Counts LMDB operations of asynchronous `work`; nothing else may use LMDB meanwhile. */
export async function countLmdbOf(work: () => Promise<void>): Promise<Reads> {
  const { counts, end } = beginCounting();
  try {
    await work();
  } finally {
    end();
  }
  return counts;
}

function beginCounting(): { readonly counts: Reads; end(): void } {
  const counts = { rows: 0, writes: 0 };
  const rows = LmdbRows.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  const environment = LmdbEnvironment.prototype;
  const { get, ...lists } = Object.fromEntries(['get', ...LISTS].map((name) => [name, rows[name]]));
  const { write } = environment;
  rows['get'] = function (...args) {
    counts.rows++;
    return get?.apply(this, args);
  };
  for (const [name, list] of Object.entries(lists))
    rows[name] = function (...args) {
      const found = list?.apply(this, args) as Due[];
      counts.rows += found.length;
      return found;
    };
  environment.write = function (inside) {
    counts.writes++;
    return write.call(this, inside) as ReturnType<typeof inside>;
  };
  return {
    counts,
    end() {
      Object.assign(rows, { get, ...lists });
      environment.write = write;
    },
  };
}

/** Counts steps over entries of maps while synchronous `work` runs. */
export function countSteps(work: () => void): Reads {
  const { prototype } = Map;
  const iterate = prototype[Symbol.iterator];
  let rows = 0;
  prototype[Symbol.iterator] = function* <K, V>(this: Map<K, V>) {
    for (const entry of { [Symbol.iterator]: () => iterate.call(this) }) {
      rows++;
      yield entry as [K, V];
    }
  } as typeof iterate;
  try {
    work();
  } finally {
    prototype[Symbol.iterator] = iterate;
  }
  return { rows, writes: 0 };
}

const WRITES = new Set(['hset', 'hdel', 'zadd', 'zrem', 'del', 'pexpire', 'expire', 'set']);
/** Commands that read an entire key, or all keys. */
const WHOLE = new Set(['hvals', 'hgetall', 'hkeys', 'keys', 'scan']);

/** Counts the commands of a server while `work` runs, those of scripts included; a command that reads an entire list counts 1,000. */
export async function countCommands(client: RedisClient, work: () => Promise<void>): Promise<Reads> {
  await client.send('CONFIG', 'RESETSTAT');
  await work();
  const stats = String(await client.send('INFO', 'commandstats'));
  const counts = { rows: 0, writes: 0 };
  for (const [, name = '', calls] of stats.matchAll(/cmdstat_(\w+):calls=(\d+)/g)) {
    counts.rows += Number(calls) * (WHOLE.has(name) ? 1_000 : 1);
    if (WRITES.has(name)) counts.writes += Number(calls);
  }
  return counts;
}
