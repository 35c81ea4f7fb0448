/** Counts what a table of records does: a cost that does not depend on a machine. */
import { open } from 'lmdb';
import type { RedisClient } from '../../src/redis/redis-client.ts';
import { makeFolder } from '../access/key-tables.ts';

export type Reads = {
  /** Rows that were read and decoded, commands of a server, or steps over entries. */
  readonly rows: number;
  /** Write transactions. */
  readonly writes: number;
};

type Methods = Record<string, (...args: unknown[]) => unknown>;

/** What LMDB is asked for while `work` runs. */
export function countLmdb(t: Parameters<typeof makeFolder>[0], work: () => void): Reads {
  const root = open({ path: makeFolder(t), noSubdir: false });
  const methods = Object.getPrototypeOf(root) as Methods;
  const { get, getRange, transactionSync } = methods as Required<Methods>;
  const counts = { rows: 0, writes: 0 };
  methods['get'] = function (...args) {
    counts.rows++;
    return get?.apply(this, args);
  };
  methods['transactionSync'] = function (...args) {
    counts.writes++;
    return transactionSync?.apply(this, args);
  };
  methods['getRange'] = function (...args) {
    const range = getRange?.apply(this, args) as Iterable<unknown>;
    return (function* (): Generator<unknown> {
      for (const row of range) {
        counts.rows++;
        yield row;
      }
    })();
  };
  try {
    work();
  } finally {
    Object.assign(methods, { get, getRange, transactionSync });
    void root.close();
  }
  return counts;
}

/** Steps over entries of maps while `work` runs, which does not wait. */
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
/** Commands that go through all of a key. */
const WHOLE = new Set(['hvals', 'hgetall', 'hkeys', 'keys', 'scan']);

/** Commands of a server while `work` runs, those of scripts among them; one that goes through a whole list counts 1,000. */
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
