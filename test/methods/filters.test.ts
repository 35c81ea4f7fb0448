/** Filters over a model chain: geth's answers, each item once, in whichever process the poll arrives. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { LogFilter } from '../../src/chain/requests.ts';
import { FeedError } from '../../src/feed/feed.ts';
import { parseFilterRecord } from '../../src/methods/filters/filter-record.ts';
import { nameFilter } from '../../src/methods/filters/stored-filters.ts';
import { RpcError } from '../../src/rpc/errors.ts';
import { RecordTableError } from '../../src/shared-store/records/record-table.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { TABLES } from '../shared-store/records/tables.ts';
import { countRuns } from '../support/count-runs.ts';
import { FaultyRecords, type RecordFault } from '../support/faulty-records.ts';
import { MemoryRecordTable } from '../support/memory-record-table.ts';
import { ModelFeed } from '../support/model-feed.ts';
import { waitUntil } from '../support/wait-until.ts';
import { FilterProcess, type Send } from './filter-client.ts';

const A = `0x${'aa'.repeat(20)}`;
const B = `0x${'bb'.repeat(20)}`;
const HASH = `0x${'ef'.repeat(32)}`;

type Log = {
  readonly blockHash: string;
  readonly address: string;
  readonly logIndex: string;
  readonly removed: boolean;
};

function start(options: Partial<ConstructorParameters<typeof FilterProcess>[0]> = {}): {
  readonly feed: ModelFeed;
  readonly records: MemoryRecordTable;
  readonly process: FilterProcess;
  readonly ask: Send;
} {
  const feed = new ModelFeed();
  const records = new MemoryRecordTable();
  const process = new FilterProcess({ feed, records, ...options });
  return { feed, records, process, ask: process.connect() };
}

function rejects(promise: Promise<unknown>, code: number, message: RegExp | string): Promise<void> {
  return assert.rejects(promise, (error: unknown) => {
    assert.ok(error instanceof RpcError, String(error));
    assert.equal(error.row.code, code, error.message);
    if (typeof message === 'string') assert.equal(error.message, message);
    else assert.match(error.message, message);
    return true;
  });
}

/** Calls a function after a record was replaced, before the write is answered. */
class NoticedRecords extends FaultyRecords {
  onReplaced: () => void = () => {};

  override async replace(...write: Parameters<FaultyRecords['replace']>): Promise<boolean> {
    const isReplaced = await super.replace(...write);
    this.onReplaced();
    return isReplaced;
  }
}

const NOT_FOUND = [-32000, 'filter not found'] as const;
const poll = async (ask: Send, id: unknown): Promise<Log[]> =>
  (await ask('eth_getFilterChanges', id)) as Log[];

describe('filters', () => {
  test('a record is parsed without its criteria; a record with another order of members is parsed completely', () => {
    const head = '{"nonce":"n/+=","network":"main","kind":"logs","last":"0x1","at":12';
    const place = { nonce: 'n/+=', network: 'main', last: '0x1', before: undefined, at: 12 };
    const logs = (criteria: string): object => ({ ...place, subject: { kind: 'logs', criteria } });
    assert.deepEqual(parseFilterRecord(`${head},"filter":no JSON}`), logs('no JSON'));
    const other =
      '{"network":"main","kind":"logs","last":"0x1","filter":{"topics":[]},"at":12,"nonce":"n/+="}';
    assert.deepEqual(parseFilterRecord(other), logs('{"topics":[]}'));
    for (const none of ['', '{', `${head}}`, `${head},"renewedAt":"1"}`, '{"network":"main","filter":{}}'])
      assert.equal(parseFilterRecord(none), undefined, none);
  });

  test('a block filter reports the hash of each new block once', async () => {
    const { feed, ask } = start();
    feed.grow();
    const id = await ask('eth_newBlockFilter');
    assert.match(String(id), /^0x[1-9a-f][0-9a-f]{31}$/);
    assert.deepEqual(await poll(ask, id), []);
    const hashes = [feed.grow(), feed.grow()];
    assert.deepEqual(await poll(ask, id), hashes);
    assert.deepEqual(await poll(ask, id), []);
  });

  test('after a reorg, a block filter reports every block of the new branch and no orphaned block', async () => {
    const { feed, ask } = start();
    const id = await ask('eth_newBlockFilter');
    for (let i = 0; i < 3; i++) feed.grow();
    await poll(ask, id);
    feed.reorganise(2, [[], [], []]);
    assert.deepEqual(await poll(ask, id), feed.hashes.slice(-3));
    feed.reorganise(3, []);
    assert.deepEqual(await poll(ask, id), []);
    assert.deepEqual([feed.grow()], await poll(ask, id));
  });

  test('a log filter reports matching logs, and after a reorg first the removed ones', async () => {
    const { feed, ask } = start();
    feed.grow([A]);
    const id = await ask('eth_newFilter', { address: A });
    feed.grow([A, B, A]);
    feed.grow([B]);
    const first = await poll(ask, id);
    assert.deepEqual(
      first.map(({ logIndex, removed }) => [logIndex, removed]),
      [
        ['0x0', false],
        ['0x2', false],
      ],
    );
    feed.reorganise(2, [[A]]);
    const second = await poll(ask, id);
    assert.deepEqual(
      second.map(({ blockHash, logIndex, removed }) => [blockHash, logIndex, removed]),
      [
        [first[0]?.blockHash, '0x2', true],
        [first[0]?.blockHash, '0x0', true],
        [feed.head.hash, '0x0', false],
      ],
    );
    assert.deepEqual(await poll(ask, id), []);
  });

  test('fromBlock and toBlock bound the reported logs', async () => {
    const { feed, ask } = start();
    const ids = await Promise.all(
      [{ fromBlock: '0x2' }, { fromBlock: '0x0', toBlock: '0x1' }, { fromBlock: 'earliest' }].map((filter) =>
        ask('eth_newFilter', filter),
      ),
    );
    for (let i = 0; i < 3; i++) feed.grow([A]);
    const counts = [];
    for (const id of ids) counts.push((await poll(ask, id)).length);
    assert.deepEqual(counts, [2, 1, 3]);
  });

  test('eth_getFilterLogs reads the criteria with their block range, and does not advance the filter', async () => {
    const requested: LogFilter[] = [];
    const { feed, ask } = start({
      chain: {
        logs: {
          getLogs: (filter) => {
            requested.push(filter);
            return '[]';
          },
        },
      },
    });
    const ids = [
      await ask('eth_newFilter', { address: A, fromBlock: '0x1', toBlock: 'latest', topics: [null, [HASH]] }),
      await ask('eth_newFilter', { blockHash: HASH }),
    ];
    feed.grow([A]);
    for (const id of ids) await ask('eth_getFilterLogs', id);
    assert.deepEqual(requested, [
      {
        blocks: { kind: 'range', from: { kind: 'number', number: 1n }, to: { kind: 'tag', tag: 'latest' } },
        addresses: [A],
        topics: [[], [HASH]],
      },
      { blocks: { kind: 'block', hash: HASH }, addresses: [], topics: [] },
    ]);
    assert.equal((await poll(ask, ids[1])).length, 1);
    await rejects(ask('eth_getFilterLogs', await ask('eth_newBlockFilter')), ...NOT_FOUND);
  });

  test('ranges that geth refuses are refused with its messages', async () => {
    const { ask } = start();
    for (const [filter, message] of [
      [{ fromBlock: 'pending' }, 'pending logs are not supported'],
      [{ toBlock: 'pending', fromBlock: 'safe' }, 'pending logs are not supported'],
      [{ toBlock: '0x1' }, 'invalid block range params'],
      [{ fromBlock: '0x2', toBlock: '0x1' }, 'invalid block range params'],
      [{ fromBlock: 'safe' }, 'invalid block range params'],
      [{ fromBlock: '0x1', toBlock: 'finalized' }, 'invalid block range params'],
      [{ fromBlock: 'earliest', toBlock: 'earliest' }, 'invalid block range params'],
    ] as const) {
      await rejects(ask('eth_newFilter', filter), -32602, message);
    }
    const many = { address: Array(1_001).fill(A) };
    await rejects(
      ask('eth_newFilter', many),
      -32000,
      'exceed max addresses or topics per search position (bound: logs.values)',
    );
    const large = { address: Array(1_000).fill(A), topics: Array(4).fill(Array(1_000).fill(HASH)) };
    await rejects(
      ask('eth_newFilter', large),
      -32000,
      'filter too large: more than 262144 bytes (bound: filter.bytes)',
    );
  });

  test('a filter belongs to its key and its network, until it is uninstalled', async () => {
    const { feed, records, process, ask } = start();
    const id = await ask('eth_newBlockFilter');
    const other = process.connect('other');
    const elsewhere = new FilterProcess({ feed, records, network: 'elsewhere' }).connect();
    for (const one of [other, elsewhere]) {
      await rejects(one('eth_getFilterChanges', id), ...NOT_FOUND);
      await rejects(one('eth_getFilterLogs', id), ...NOT_FOUND);
      assert.equal(await one('eth_uninstallFilter', id), false);
    }
    for (const none of ['0x1', '', 'filter', `${id}0`, String(id).toUpperCase(), '../x']) {
      await rejects(ask('eth_getFilterChanges', none), ...NOT_FOUND);
      assert.equal(await ask('eth_uninstallFilter', none), false);
    }
    await rejects(ask('eth_getFilterChanges', 1), -32602, /^invalid argument 0: expected a string/);
    assert.deepEqual(
      [await ask('eth_uninstallFilter', id), await ask('eth_uninstallFilter', id)],
      [true, false],
    );
    await rejects(ask('eth_getFilterChanges', id), ...NOT_FOUND);
  });

  test('the filters of a key are limited in number', async () => {
    const { process, ask } = start({ maxOfKey: 3 });
    const ids = [];
    for (const method of ['eth_newBlockFilter', 'eth_newPendingTransactionFilter'])
      ids.push(await ask(method));
    await ask('eth_newFilter', {});
    await rejects(ask('eth_newFilter', {}), -32005, /^limit exceeded: a key can have 3 filters/);
    await process.connect('other')('eth_newBlockFilter');
    await ask('eth_uninstallFilter', ids[0]);
    await ask('eth_newBlockFilter');
  });

  test('a polled filter stays alive, even without news; an unpolled filter expires', async () => {
    let now = 0;
    const records = new MemoryRecordTable(() => now);
    const { ask } = start({ records, lifeMs: 1_000 });
    const [polled, left] = [await ask('eth_newBlockFilter'), await ask('eth_newBlockFilter')];
    const real = Date.now;
    try {
      const begin = real();
      for (let i = 1; i <= 5; i++) {
        now = i * 900;
        Date.now = () => begin + now;
        assert.deepEqual(await poll(ask, polled), []);
      }
    } finally {
      Date.now = real;
    }
    await rejects(ask('eth_getFilterChanges', left), ...NOT_FOUND);
  });

  test('a filter whose last block is unknown or too far behind ends with an error that says so', async () => {
    const { feed, records, ask } = start();
    const [unknown, far] = [await ask('eth_newBlockFilter'), await ask('eth_newFilter', {})];
    const left = feed.grow();
    await poll(ask, unknown);
    feed.reorganise(1, [[], [], []]);
    feed.forget(left);
    feed.maxBlocks = 2;
    await rejects(ask('eth_getFilterChanges', unknown), -32000, /^filter not found: .* is no longer known$/);
    await rejects(
      ask('eth_getFilterChanges', far),
      -32000,
      /^filter not found: .* too many blocks have come/,
    );
    for (const id of [unknown, far]) await rejects(ask('eth_getFilterChanges', id), ...NOT_FOUND);
    assert.equal(records.size, 0);
    const id = await ask('eth_newBlockFilter');
    feed.fault = new FeedError('closed', 'closed');
    await rejects(ask('eth_getFilterChanges', id), -32603, /no longer served/);
    feed.fault = undefined;
    assert.deepEqual(await poll(ask, id), [], 'it is there still');
  });

  test('many logs are reported in several answers, and none is left out', async () => {
    const { feed, ask } = start();
    const id = await ask('eth_newFilter', {});
    for (let i = 0; i < 7; i++) feed.grow(Array(4_000).fill(A));
    const sizes: number[] = [];
    const texts: string[] = [];
    for (let logs = await poll(ask, id); logs.length > 0; logs = await poll(ask, id)) {
      sizes.push(logs.length);
      texts.push(...logs.map((log) => JSON.stringify(log)));
    }
    assert.deepEqual(sizes, [12_000, 12_000, 4_000]);
    assert.deepEqual(texts, feed.logs);
    // The poll limit also applies in the middle of a reorg's removals.
    feed.reorganise(7, [[B]]);
    const removed = [];
    for (let logs = await poll(ask, id); logs.length > 0; logs = await poll(ask, id)) removed.push(...logs);
    assert.equal(removed.length, 28_001);
    assert.deepEqual(
      removed.slice(0, -1).map((log) => JSON.stringify({ ...log, removed: false })),
      texts.reverse(),
    );
  });

  test('pending transactions are reported once, from the creation of the filter on', async () => {
    const { feed, process, ask } = start({
      chain: {
        transactions: {
          getTransaction: (of) => ('hash' in of && of.hash !== HASH ? `{"hash":"${of.hash}"}` : null),
        },
      },
    });
    const id = await ask('eth_newPendingTransactionFilter');
    const full = await ask('eth_newPendingTransactionFilter', true);
    const hashes = Array.from({ length: 150 }, (_, i) => `0x${i.toString(16).padStart(64, '0')}`);
    feed.announce(HASH, ...hashes);
    assert.deepEqual(await poll(ask, id), [HASH, ...hashes]);
    assert.deepEqual(await poll(ask, id), []);
    const method = process.network.filters;
    assert.ok(method !== undefined);
    // Transactions are read one by one, a part of them per poll; those that no longer exist are left out.
    const read = async (): Promise<unknown[]> => {
      const scope = new RequestScope(performance.now() + 60_000);
      scope.owner = 'key';
      const answer = await method.poll(String(full), { feed, network: process.network, scope });
      scope.noteSent(true);
      return JSON.parse(answer as string);
    };
    assert.deepEqual(
      [...(await read()), ...(await read()), ...(await read())],
      hashes.map((hash) => ({ hash })),
    );
  });

  test('a chain without pending transactions reports none; nodes that announce none refuse the filter', async () => {
    const embedded = start({ hasNodes: false });
    embedded.feed.hasPending = false;
    const id = await embedded.ask('eth_newPendingTransactionFilter');
    assert.deepEqual(await poll(embedded.ask, id), []);
    const nodes = start();
    nodes.feed.hasPending = false;
    await rejects(
      nodes.ask('eth_newPendingTransactionFilter'),
      -32601,
      /eth_newPendingTransactionFilter does not exist/,
    );
  });

  test('an unavailable record table loses no items of a filter, even if its write succeeded', async () => {
    const { feed, records, ask } = start();
    const id = await ask('eth_newBlockFilter');
    const hash = feed.grow();
    const away = async (): Promise<never> => {
      throw new RecordTableError('away');
    };
    const { read, replace, create, remove } = MemoryRecordTable.prototype;
    const fails = (): Promise<void> =>
      rejects(ask('eth_getFilterChanges', id), -32603, /cannot be read or written now$/);
    Object.assign(records, { read: away });
    await fails();
    await rejects(ask('eth_uninstallFilter', id), -32603, /cannot be read/);
    Object.assign(records, { read, replace: away, create: away, remove: away });
    await fails();
    await rejects(ask('eth_newFilter', {}), -32603, /cannot be read/);
    // The answer to a write is lost.
    Object.assign(records, {
      create,
      remove,
      replace: async (...write: Parameters<typeof replace>) => {
        assert.equal(replace.apply(records, write), true);
        return away();
      },
    });
    await fails();
    Object.assign(records, { replace });
    assert.deepEqual(await poll(ask, id), [hash]);
    assert.deepEqual(await poll(ask, id), []);
  });

  test('a temporary failure of the record table is retried, whether it has written or not', async () => {
    const faulty = new FaultyRecords(new MemoryRecordTable());
    const feed = new ModelFeed();
    const processes = [0, 1].map(() => new FilterProcess({ feed, records: faulty, retryPauses: [0, 0, 0] }));
    const [ask, other] = processes.map((process) => process.connect()) as [Send, Send];
    faulty.faults = ['unmade', 'unanswered'];
    const id = await ask('eth_newBlockFilter');
    for (const faults of [
      ['unmade', 'none', 'unmade'],
      ['none', 'unanswered', 'unmade', 'none', 'none'],
      ['none', 'unanswered', 'none', 'unanswered', 'none', 'unanswered'],
    ] satisfies RecordFault[][]) {
      const hash = feed.grow();
      faulty.faults = [...faults];
      assert.deepEqual(await poll(ask, id), [hash], faults.join());
      faulty.faults = [];
      assert.deepEqual([await poll(other, id), await poll(ask, id)], [[], []], faults.join());
    }
    faulty.faults = ['none', 'unanswered'];
    assert.equal(await ask('eth_uninstallFilter', id), true);
    assert.equal(await ask('eth_uninstallFilter', id), false);
    // Retries end at the deadline.
    const late = new FilterProcess({ feed, records: faulty, retryPauses: [60_000] });
    faulty.isAway = true;
    const scope = (): RequestScope => new RequestScope(performance.now() + 50);
    await rejects(
      late.connect('key', scope)('eth_getFilterChanges', id),
      -32603,
      /cannot be read or written now$/,
    );
  });

  test('a poll of a disconnected client does not advance the filter', async () => {
    const { feed, process, ask } = start();
    feed.isSlow = true;
    const id = await ask('eth_newBlockFilter');
    const hash = feed.grow();
    const gone = process.connect('key', () => {
      const scope = new RequestScope(performance.now() + 60_000);
      setImmediate(() => scope.abort());
      return scope;
    });
    await assert.rejects(gone('eth_getFilterChanges', id), /aborted/);
    assert.deepEqual(await poll(ask, id), [hash]);
  });

  test('a client that disconnects while the filter advances loses nothing, whichever process gets the next poll', async () => {
    const { feed, records, ask } = start();
    const noticed = new NoticedRecords(records);
    const other = new FilterProcess({ feed, records: noticed });
    const id = await ask('eth_newBlockFilter');
    const hashes: string[] = [];
    for (let round = 0; round < 3; round++) {
      hashes.push(feed.grow());
      const scope = new RequestScope(performance.now() + 60_000);
      noticed.onReplaced = () => scope.abort();
      await other.connect('key', () => scope)('eth_getFilterChanges', id);
      assert.ok(scope.aborted);
      // The write that restores the previous state is separate from the next poll's.
      await waitUntil(() => records.read(nameFilter(String(id), 'key'))?.text.includes('"before"') === false);
    }
    assert.deepEqual(await poll(ask, id), hashes);
    assert.deepEqual(await poll(other.connect(), id), []);
  });

  test('if the record table fails too, the same process goes on from before the lost poll', async () => {
    const { feed, records } = start();
    const noticed = new NoticedRecords(records);
    const process = new FilterProcess({ feed, records: noticed, retryPauses: [] });
    const id = await process.connect()('eth_newBlockFilter');
    const hash = feed.grow();
    const scope = new RequestScope(performance.now() + 60_000);
    noticed.onReplaced = () => {
      scope.abort();
      noticed.isAway = true;
    };
    await process.connect('key', () => scope)('eth_getFilterChanges', id);
    noticed.isAway = false;
    noticed.onReplaced = () => {};
    assert.deepEqual(await poll(process.connect(), id), [hash]);
    assert.deepEqual(await poll(process.connect(), id), []);
  });
});

/** Checks that reported logs, minus removed ones, are those of the chain, with their counts. */
function assertSame(provided: readonly Log[], expected: readonly string[]): void {
  const counts = new Map<string, number>();
  for (const log of provided) {
    const text = JSON.stringify({ ...log, removed: false });
    counts.set(text, (counts.get(text) ?? 0) + (log.removed ? -1 : 1));
  }
  const left = [...counts].filter(([, count]) => count !== 0);
  assert.deepEqual(new Map(left), new Map(expected.map((text) => [text, 1])));
}

test('a client reconstructs the chain exactly and in order, over any growth and reorg', async () => {
  const plan = fc.array(fc.constantFrom(A, B), { maxLength: 3 });
  const event = fc.oneof(
    fc.record({ kind: fc.constant('grow' as const), plan }),
    fc.record({
      kind: fc.constant('reorganise' as const),
      depth: fc.integer({ min: 1, max: 6 }),
      plans: fc.array(plan, { maxLength: 8 }),
    }),
    fc.record({ kind: fc.constant('poll' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      const { feed, ask } = start();
      for (let i = 0; i < 8; i++) feed.grow();
      const id = await ask('eth_newFilter', { address: A });
      const seen: string[] = [];
      const look = async (): Promise<void> => {
        for (const log of await poll(ask, id)) {
          if (log.removed) assert.equal(seen.pop(), JSON.stringify({ ...log, removed: false }));
          else seen.push(JSON.stringify(log));
        }
      };
      for (const one of events) {
        if (one.kind === 'grow') feed.grow(one.plan);
        else if (one.kind === 'poll') await look();
        else if (Number(feed.head.number) - one.depth >= 8) feed.reorganise(one.depth, one.plans);
      }
      await look();
      assert.deepEqual(
        seen,
        feed.logs.filter((text) => text.includes(A)),
      );
    }),
    { numRuns: countRuns(300) },
  );
});

for (const { name, skip, open } of TABLES) {
  test(`concurrent polls of one filter by four processes over ${name} lose nothing and repeat nothing`, {
    skip,
  }, async (t) => {
    const tables = await open(t, 4);
    const feed = new ModelFeed();
    feed.isSlow = true;
    for (let i = 0; i < 8; i++) feed.grow();
    const asks = tables.map((records) => new FilterProcess({ feed, records }).connect());
    const [first] = asks as [Send];
    const [logs, blocks] = [await first('eth_newFilter', {}), await first('eth_newBlockFilter')];
    const provided: Log[] = [];
    const hashes: string[] = [];
    let isOver = false;
    const pollers = asks.flatMap((ask) =>
      [0, 1].map(async () => {
        while (!isOver) {
          provided.push(...(await poll(ask, logs)));
          hashes.push(...((await ask('eth_getFilterChanges', blocks)) as string[]));
        }
      }),
    );
    for (let i = 0; i < 150; i++) {
      if (i % 7 === 6) feed.reorganise(1 + (i % 3), [[A], [], [A, B], [B], [A]].slice(i % 2));
      else feed.grow([A, B].slice(i % 3));
      for (let turn = 0; turn < i % 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    isOver = true;
    await Promise.all(pollers);
    provided.push(...(await poll(first, logs)));
    hashes.push(...((await first('eth_getFilterChanges', blocks)) as string[]));
    assertSame(provided, feed.logs);
    assert.equal(new Set(hashes).size, hashes.length, 'no block came twice');
    const missing = feed.hashes.slice(9).filter((hash) => !hashes.includes(hash));
    assert.deepEqual(missing, []);
  });
}
