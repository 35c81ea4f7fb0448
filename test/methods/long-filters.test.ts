/** Filters with many addresses and topics: a poll costs the same as that of a small filter. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FilterCriteriaCache } from '../../src/methods/filters/filter-criteria.ts';
import { logFilter } from '../../src/methods/log-filter.ts';
import type { RecordTable } from '../../src/shared-store/records/record-table.ts';
import { TABLES } from '../shared-store/records/tables.ts';
import { FaultyRecords } from '../support/faulty-records.ts';
import { MemoryRecordTable } from '../support/memory-record-table.ts';
import { ModelFeed } from '../support/model-feed.ts';
import { waitUntil } from '../support/wait-until.ts';
import { FilterProcess, type Send } from './filter-client.ts';

const A = `0x${'aa'.repeat(20)}`;
const B = `0x${'bb'.repeat(20)}`;
const TOPIC = `0x${'7'.repeat(64)}`;
const LIFE = 60_000;

const list = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `0x${String(i).padStart(64, '0')}`);
const LONG = { address: A, topics: [[TOPIC, ...list(900)]] };
/** The largest filter that fits into a record. */
const LONGEST = { address: A, topics: [[TOPIC, ...list(930)], ...Array(3).fill(list(930))] };

type Log = { readonly address: string };

/** Records names and sizes of reads and writes. */
class CountedRecords extends FaultyRecords {
  bytes = 0;
  names: string[] = [];

  override async read(name: string): ReturnType<FaultyRecords['read']> {
    const stored = await super.read(name);
    this.#note(name, stored?.text ?? '');
    return stored;
  }

  override create(...write: Parameters<RecordTable['create']>): Promise<boolean> {
    this.#note(write[0], write[1]);
    return super.create(...write);
  }

  override replace(...write: Parameters<RecordTable['replace']>): Promise<boolean> {
    this.#note(write[0], write[2]);
    return super.replace(...write);
  }

  #note(name: string, text: string): void {
    this.bytes += text.length;
    this.names.push(name);
  }
}

type Started = {
  readonly feed: ModelFeed;
  readonly records: CountedRecords;
  readonly ask: Send;
};

function start(
  table: RecordTable = new MemoryRecordTable(),
  criteria: FilterCriteriaCache = new FilterCriteriaCache(),
): Started {
  const feed = new ModelFeed();
  const records = new CountedRecords(table);
  const process = new FilterProcess({ feed, records, criteria, lifeMs: LIFE });
  return { feed, records, ask: process.connect() };
}

/** Counts parsed characters and filters while `work` runs. */
async function countParsed(work: () => Promise<unknown>): Promise<{ characters: number; filters: number }> {
  const { parse } = JSON;
  const parseFilter = logFilter.parse;
  const counts = { characters: 0, filters: 0 };
  JSON.parse = (text, ...rest) => {
    counts.characters += text.length;
    return parse(text, ...rest);
  };
  logFilter.parse = (raw) => {
    counts.filters++;
    return parseFilter(raw);
  };
  try {
    await work();
  } finally {
    JSON.parse = parse;
    logFilter.parse = parseFilter;
  }
  return counts;
}

/** Advances the filters' wall clock while `work` runs. */
async function later<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const { now } = Date;
  Date.now = () => now() + ms;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

describe('filters with many criteria', () => {
  for (const [what, filter, isLong] of [
    ['long', LONG, true],
    ['short', { address: A, topics: [TOPIC] }, false],
  ] as const)
    test(`${what} criteria are parsed only at the first poll, and later polls neither read nor write long ones`, async () => {
      const { feed, records, ask } = start();
      const id = await ask('eth_newFilter', filter);
      const poll = (): Promise<unknown> => ask('eth_getFilterChanges', id);
      assert.equal((await countParsed(poll)).filters, 1);
      for (const plan of [[], [A, B], [], [A]]) {
        if (plan.length > 0) feed.grow(plan);
        Object.assign(records, { bytes: 0, names: [] });
        let logs: Log[] = [];
        const parsed = await countParsed(async () => {
          logs = (await poll()) as Log[];
        });
        assert.deepEqual(
          logs.map(({ address }) => address),
          plan.filter((address) => address === A),
        );
        assert.equal(parsed.filters, 0);
        // A poll with results reads and writes twice: when it answers, and when the answer is sent.
        assert.ok(records.bytes < 2_000, `${records.bytes} bytes`);
        assert.ok(parsed.characters < 2_000, `${parsed.characters} characters`);
        assert.equal(
          records.names.every((name) => name.startsWith(isLong ? 'filter-place/key/' : 'filter/key/')),
          true,
        );
      }
    });

  test('the index of long criteria is built once for all blocks', async () => {
    const { feed, ask } = start();
    const id = await ask('eth_newFilter', LONG);
    const tests = new Set<unknown>();
    const { readLogs } = feed;
    feed.readLogs = (step, matches) => {
      tests.add(matches);
      return readLogs.call(feed, step, matches);
    };
    for (let i = 0; i < 5; i++) {
      feed.grow([A]);
      feed.grow([A]);
      assert.equal(((await ask('eth_getFilterChanges', id)) as Log[]).length, 2);
    }
    assert.equal(tests.size, 1);
  });

  test('concurrent polls of one filter parse its criteria once', async () => {
    const { ask } = start();
    const id = await ask('eth_newFilter', LONG);
    const parsed = await countParsed(() =>
      Promise.all(Array.from({ length: 20 }, () => ask('eth_getFilterChanges', id))),
    );
    assert.equal(parsed.filters, 1);
  });

  test('concurrent polls start in several turns of the event loop', async () => {
    const { feed, records, ask } = start();
    const ids: unknown[] = [];
    for (let i = 0; i < 10; i++) ids.push(await ask('eth_newFilter', LONG));
    for (const state of ['not parsed', 'parsed', 'behind a block']) {
      if (state === 'behind a block') feed.grow([A]);
      records.names = [];
      let most = 0;
      let isOver = false;
      const look = (): void => {
        most = Math.max(most, records.names.length);
        records.names = [];
        if (!isOver) setImmediate(look);
      };
      setImmediate(look);
      await Promise.all(ids.flatMap((id) => Array(10).fill(id)).map((id) => ask('eth_getFilterChanges', id)));
      isOver = true;
      // There are 100 polls with one to four operations each.
      assert.ok(most < 64, `${most} operations in a turn, ${state}`);
    }
  });

  test('evicted criteria are parsed again', async () => {
    const criteria = new FilterCriteriaCache({ capacityBytes: 300_000 });
    const { feed, ask } = start(undefined, criteria);
    const ids = [
      await ask('eth_newFilter', LONG),
      await ask('eth_newFilter', LONG),
      await ask('eth_newFilter', LONG),
    ];
    feed.grow([A]);
    for (const id of ids) assert.equal(((await ask('eth_getFilterChanges', id)) as Log[]).length, 1);
    assert.ok(criteria.bytes > 200_000 && criteria.bytes <= 300_000, `${criteria.bytes} bytes`);
    feed.grow([A]);
    const parsed = await countParsed(async () => {
      for (const id of ids) assert.equal(((await ask('eth_getFilterChanges', id)) as Log[]).length, 1);
    });
    assert.equal(parsed.filters, 3);
  });

  test('polls keep both records of a filter alive; both records of an unpolled filter expire', async () => {
    let now = 0;
    const table = new MemoryRecordTable(() => now);
    const { feed, records, ask } = start(table);
    const id = await ask('eth_newFilter', LONG);
    const left = await ask('eth_newFilter', LONG);
    for (let i = 1; i <= 30; i++) {
      now = i * 0.07 * LIFE;
      feed.grow([A]);
      const logs = await later(now, () => ask('eth_getFilterChanges', id));
      assert.equal((logs as Log[]).length, 1, `poll ${i}`);
    }
    const rewritten = records.names.filter((name) => name === `filter/key/${String(id)}`).length;
    // Written at creation, read at the first poll, and read and written at every second one.
    assert.equal(rewritten, 2 + 2 * 15);
    now += 0.99 * LIFE;
    assert.equal(((await later(now, () => ask('eth_getFilterChanges', id))) as Log[]).length, 0);
    const other = new FilterProcess({ feed, records: table, criteria: new FilterCriteriaCache() }).connect();
    assert.equal(((await later(now, () => other('eth_getFilterChanges', id))) as Log[]).length, 0);
    await assert.rejects(ask('eth_getFilterChanges', left), /filter not found/);
    assert.equal(table.read(`filter/key/${String(left)}`), undefined);
    assert.equal(table.read(`filter-place/key/${String(left)}`), undefined);
  });

  test('criteria that are missing in the table end their filter in every process', async () => {
    const { feed, records, ask } = start();
    const id = await ask('eth_newFilter', LONG);
    await ask('eth_getFilterChanges', id);
    await records.remove(`filter/key/${String(id)}`);
    feed.grow([A]);
    await assert.rejects(
      later(LIFE / 2, () => ask('eth_getFilterChanges', id)),
      /filter not found/,
    );
    assert.equal(await records.read(`filter-place/key/${String(id)}`), undefined);
  });

  test('a filter of maximum size is created, and a larger one is refused', async () => {
    const { feed, ask } = start();
    const id = await ask('eth_newFilter', LONGEST);
    feed.grow([A, B]);
    assert.equal(((await ask('eth_getFilterChanges', id)) as Log[]).length, 0, 'the log has one topic');
    const wide = { topics: Array(4).fill(list(1_000)) };
    await assert.rejects(ask('eth_newFilter', wide), /filter too large: more than 262144 bytes/);
  });

  test('a filter record of the previous version is polled in its own format', async () => {
    const { feed, records, ask } = start();
    const id = `0x${'1'.repeat(32)}`;
    const name = `filter/key/${id}`;
    const place = { network: 'net', kind: 'logs', last: feed.head.hash, at: Date.now() };
    const filter = { fromBlock: 'latest', toBlock: 'latest', address: [A], topics: LONG.topics };
    await records.create(name, JSON.stringify({ nonce: 'n', ...place, filter }), LIFE, 10);
    feed.grow([A, B]);
    assert.equal(((await ask('eth_getFilterChanges', id)) as Log[]).length, 1);
    feed.grow([A]);
    const parsed = await countParsed(() => ask('eth_getFilterChanges', id));
    assert.equal(parsed.filters, 0);
    await waitUntil(async () => (await records.read(name))?.text.includes('"before"') === false);
    const { nonce, at, ...cached } = JSON.parse((await records.read(name))?.text ?? '');
    assert.notEqual(nonce, 'n');
    assert.ok(at >= place.at);
    assert.deepEqual(cached, { network: 'net', kind: 'logs', last: feed.head.hash, filter });
    assert.equal(await ask('eth_uninstallFilter', id), true);
  });

  for (const { name, skip, open } of TABLES)
    test(`filters are shared by processes over ${name}, until one uninstalls them`, { skip }, async (t) => {
      const feed = new ModelFeed();
      const [first, second] = (await open(t, 2)) as [RecordTable, RecordTable];
      const connect = (records: RecordTable, network = 'net'): Send =>
        new FilterProcess({ feed, records, network, criteria: new FilterCriteriaCache() }).connect();
      const [ask, other, elsewhere] = [connect(first), connect(second), connect(second, 'elsewhere')];
      const id = await ask('eth_newFilter', LONG);
      for (const one of [ask, other, other, ask]) {
        feed.grow([A, B]);
        assert.equal(((await one('eth_getFilterChanges', id)) as Log[]).length, 1);
      }
      await assert.rejects(elsewhere('eth_getFilterChanges', id), /filter not found/);
      assert.equal(await elsewhere('eth_uninstallFilter', id), false);
      assert.deepEqual(
        [await other('eth_uninstallFilter', id), await ask('eth_uninstallFilter', id)],
        [true, false],
      );
      for (const one of [ask, other])
        await assert.rejects(one('eth_getFilterChanges', id), /filter not found/);
      for (const kind of ['filter', 'filter-place'])
        assert.equal(await first.read(`${kind}/key/${String(id)}`), undefined);
    });
});
