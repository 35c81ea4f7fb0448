/** eth_subscribe and eth_unsubscribe over a fake feed: parameters and errors as in geth, notifications of each kind, and ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedStart } from '../../src/feed/feed.ts';
import { FeedError } from '../../src/feed/feed.ts';
import { ethSubscribe } from '../../src/methods/eth_subscribe.ts';
import { ethUnsubscribe } from '../../src/methods/eth_unsubscribe.ts';
import type { Network } from '../../src/methods/network.ts';
import { HeadTimes } from '../../src/methods/subscriptions/head-times.ts';
import { RpcError } from '../../src/rpc/errors.ts';
import type { BeginSubscription, Notifier, Subscription } from '../../src/rpc/notifier.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createScriptedNetwork } from '../gateway/scripted-network.ts';
import { createFakeChain, type FakeChainParts } from '../support/fake-chain.ts';
import { FakeFeed, FakeHeads, hashOf, makeLog, makeStep } from '../support/fake-feed.ts';

const HEAD = 100n;
const ID = `0x${'1'.repeat(32)}`;

/** Stores the notifications of one subscription. */
class RecordingNotifier implements Notifier {
  readonly sent: unknown[] = [];
  readonly noticed: (number | undefined)[] = [];
  events = 0;
  room: Promise<void> | undefined;
  failed: string | undefined;
  leave: (() => void) | undefined;

  async open(_kind: string, begin: BeginSubscription): Promise<Subscription> {
    const subscription: Subscription = {
      id: ID,
      waitForRoom: () => this.room,
      notify: (results, noticedAt) => {
        this.events++;
        this.noticed.push(noticedAt);
        this.sent.push(...results.map((result) => JSON.parse(result)));
      },
      fail: (reason) => {
        this.failed = reason;
      },
    };
    this.leave = await begin(subscription);
    return subscription;
  }

  end(id: string): boolean {
    if (id !== ID || this.leave === undefined) return false;
    this.leave();
    this.leave = undefined;
    return true;
  }
}

type Scene = {
  readonly heads: FakeHeads;
  readonly feed: FakeFeed;
  readonly notifier: RecordingNotifier;
  readonly scope: RequestScope;
  subscribe(...params: readonly unknown[]): Promise<unknown>;
};

function setScene(parts: FakeChainParts = {}): Scene {
  const feed = new FakeFeed();
  const notifier = new RecordingNotifier();
  const heads = new FakeHeads(HEAD);
  const network: Network = { ...createScriptedNetwork(createFakeChain({ heads, ...parts })), feed };
  const scope = new RequestScope(performance.now() + 10_000);
  return {
    heads,
    feed,
    notifier,
    scope,
    subscribe: async (...params) =>
      JSON.parse(String(await ethSubscribe.invoke(params, { network, clientVersion: 'v', scope, notifier }))),
  };
}

async function startOf(...params: readonly unknown[]): Promise<FeedStart | undefined> {
  const { feed, subscribe } = setScene();
  await subscribe(...params);
  return feed.joins[0]?.start;
}

const REFUSED: readonly (readonly [readonly unknown[], number, string])[] = [
  [[], -32602, 'expected subscription name as first argument'],
  [[7], -32602, 'expected subscription name as first argument'],
  [['newheads'], -32601, 'no "newheads" subscription in eth namespace'],
  [['newHeads', {}, 1], -32602, 'too many arguments, want at most 2'],
  [['newHeads', 1], -32602, 'invalid argument 1: expected an object, got a number'],
  [
    ['newHeads', { afterhash: hashOf(1) }],
    -32602,
    'invalid argument 1: unknown member, expected fromBlock or afterHash',
  ],
  [
    ['newHeads', { fromBlock: '0x1', afterHash: hashOf(1) }],
    -32602,
    'invalid argument 1: cannot specify both fromBlock and afterHash, choose one or the other',
  ],
  [['logs'], -32602, 'missing value for required argument 1'],
  [['logs', null], -32602, 'missing value for required argument 1'],
  [['logs', { fromBlock: 'pending' }], -32602, 'pending logs are not supported'],
  [['logs', { toBlock: 'pending' }], -32602, 'pending logs are not supported'],
  [['logs', { fromBlock: '0x5', toBlock: '0x4' }], -32602, 'invalid block range params'],
  [['logs', { fromBlock: 'latest', toBlock: '0x5' }], -32602, 'invalid block range params'],
  [['logs', { fromBlock: 'safe' }], -32602, 'invalid block range params'],
  [['logs', { fromBlock: '0x5', toBlock: 'earliest' }], -32602, 'invalid block range params'],
  [
    ['logs', { address: Array(1_001).fill(`0x${'ab'.repeat(20)}`) }],
    -32000,
    'exceed max addresses or topics per search position (bound: logs.values)',
  ],
  [
    ['logs', { afterHash: hashOf(1) }, { afterHash: hashOf(1) }],
    -32602,
    'invalid argument 2: the filter already has afterHash',
  ],
  [['transactionReceipts', [hashOf(1)]], -32602, 'invalid argument 1: expected an object, got an array'],
  [['transactionReceipts', {}, 1], -32602, 'too many arguments, want at most 2'],
  [
    ['transactionReceipts', { transactionHashes: Array(201).fill('0x') }],
    -32000,
    'exceed max number of transaction hashes allowed per transactionReceipts subscription (bound: subscriptions.hashes)',
  ],
  [['newPendingTransactions', 'yes'], -32602, 'invalid argument 1: expected a boolean, got a string'],
  [['syncing', true], -32602, 'too many arguments, want at most 1'],
];
for (const [params, code, message] of REFUSED) {
  test(`eth_subscribe refuses ${JSON.stringify(params).slice(0, 60)}: ${message}`, async () => {
    const { feed, subscribe } = setScene();
    await assert.rejects(subscribe(...params), (error: unknown) => {
      assert.ok(error instanceof RpcError);
      assert.deepEqual([error.row.code, error.message], [code, message]);
      return true;
    });
    assert.equal(feed.joins.length, 0);
  });
}

test('without a connection for notifications, every eth_subscribe fails with the same error', async () => {
  const network = createScriptedNetwork(createFakeChain({}));
  const scope = new RequestScope(performance.now() + 10_000);
  const context = { network, clientVersion: 'v', scope };
  for (const params of [[], ['newHeads'], ['nothing']]) {
    await assert.rejects(Promise.resolve(ethSubscribe.invoke(params, context)), (error: RpcError) => {
      assert.deepEqual([error.row.code, error.message], [-32601, 'notifications not supported']);
      return true;
    });
  }
  await assert.rejects(
    async () => ethUnsubscribe.invoke([ID], context),
    /^RpcError: subscription not found$/,
  );
});

test('criteria without room are refused like a subscription above the limit', async () => {
  const { feed, subscribe } = setScene();
  feed.failure = new FeedError('tooMuch', 'of the feed');
  await assert.rejects(subscribe('logs', {}), (error: RpcError) => {
    assert.deepEqual(
      [error.row.code, error.message],
      [
        -32005,
        'limit exceeded: the subscriptions of the api key name too many addresses, topics and hashes (bound: subscriptions.criteria)',
      ],
    );
    return true;
  });
});

test('a network without a feed refuses subscriptions with this reason', async () => {
  const network = createScriptedNetwork(createFakeChain({}));
  const scope = new RequestScope(performance.now() + 10_000);
  const notifier = new RecordingNotifier();
  const outcome = ethSubscribe.invoke(['newHeads'], { network, clientVersion: 'v', scope, notifier });
  await assert.rejects(Promise.resolve(outcome), /this network has no subscriptions/);
});

test('the start of a subscription follows from its parameters', async () => {
  assert.deepEqual(await startOf('newHeads'), { kind: 'head' });
  assert.deepEqual(await startOf('newHeads', {}), { kind: 'head' });
  assert.deepEqual(await startOf('newHeads', { fromBlock: '0x10' }), { kind: 'from', number: 16n });
  assert.deepEqual(await startOf('newHeads', { fromBlock: '0x64' }), { kind: 'from', number: 100n });
  assert.deepEqual(await startOf('newHeads', { fromBlock: '0x65' }), { kind: 'head' });
  assert.deepEqual(await startOf('newHeads', { afterHash: hashOf(5) }), { kind: 'after', hash: hashOf(5) });
  assert.deepEqual(await startOf('logs', { afterHash: hashOf(5) }), { kind: 'after', hash: hashOf(5) });
  assert.deepEqual(await startOf('logs', {}, { fromBlock: '0x10' }), { kind: 'from', number: 16n });
  // geth ignores lower blocks too: it sends nothing again.
  assert.deepEqual(await startOf('logs', { fromBlock: '0x10' }), { kind: 'head' });
  assert.deepEqual(await startOf('logs', { blockHash: hashOf(5) }), { kind: 'head' });
});

test('newHeads sends headers; headers of removed blocks only to subscriptions with an explicit start', async () => {
  for (const [params, expected] of [
    [['newHeads'], [101]],
    [
      ['newHeads', { afterHash: hashOf(100) }],
      [101, -101, 101],
    ],
  ] as const) {
    const { feed, notifier, subscribe } = setScene();
    assert.equal(await subscribe(...params), ID);
    feed.send(makeStep('added', 101));
    feed.send(makeStep('removed', 101));
    feed.send(makeStep('added', 101));
    const sent = notifier.sent as { number: string; removed?: boolean }[];
    assert.deepEqual(
      sent.map(({ number, removed }) => (removed === true ? -1 : 1) * Number(number)),
      expected,
    );
  }
});

test('newHeads sends a header again only if another header was sent since the removal of its block', async () => {
  const { feed, notifier, subscribe } = setScene();
  await subscribe('newHeads');
  const add = (number: number): void => feed.send(makeStep('added', number));
  const remove = (number: number): void => feed.send(makeStep('removed', number));
  const take = (): number[] =>
    (notifier.sent.splice(0) as { number: string }[]).map(({ number }) => Number(number));
  for (const number of [101, 102, 103]) add(number);
  assert.deepEqual(take(), [101, 102, 103]);
  // The head leaves these blocks and returns before a block of the other branch was sent.
  for (const number of [103, 102, 101]) remove(number);
  for (const number of [101, 102]) add(number);
  assert.deepEqual(take(), []);
  // Numbers above 200 stand for blocks of another branch, which grows from 102.
  add(203);
  remove(203);
  add(103);
  assert.deepEqual(take(), [203, 103]);
  remove(103);
  remove(102);
  add(202);
  remove(202);
  for (const number of [102, 103, 104]) add(number);
  assert.deepEqual(take(), [202, 102, 103, 104]);
});

test('the lag is measured from the notice of a head, only for heads noticed during the subscription', async () => {
  const { feed, heads, notifier, subscribe } = setScene();
  await subscribe('newHeads', { afterHash: hashOf(98) });
  feed.send(makeStep('added', 99));
  feed.send(makeStep('added', 100));
  const before = performance.now();
  heads.moveTo(102n);
  const noticed = performance.now();
  feed.send(makeStep('added', 101));
  feed.send(makeStep('added', 102));
  feed.send(makeStep('removed', 102));
  // The feed may notice and serve the head before the subscription does.
  heads.served = { number: 103n, hash: hashOf(103) };
  feed.send(makeStep('added', 103));
  const [of99, of100, of101, of102 = 0, removed, of103 = 0] = notifier.noticed;
  assert.deepEqual([of99, of100, of101, removed], [undefined, undefined, undefined, undefined]);
  assert.ok(
    before <= of102 && of102 <= noticed && of103 >= noticed,
    `${before} ${of102} ${noticed} ${of103}`,
  );
  assert.equal(heads.listeners.size, 1);
  notifier.end(ID);
  assert.equal(heads.listeners.size, 0);
});

test('HeadTimes finds only heads noticed after a given time, and stores a bounded number of them', () => {
  const heads = new FakeHeads(1n);
  const times = HeadTimes.of(heads);
  const end = times.use();
  const before = performance.now();
  heads.moveTo(2n);
  assert.notEqual(times.find(hashOf(2), before), undefined);
  assert.equal(times.find(hashOf(2), performance.now() + 1), undefined);
  for (let number = 3n; number < 100n; number++) heads.moveTo(number);
  assert.equal(times.find(hashOf(2), before), undefined, 'a bounded number is kept');
  assert.notEqual(times.find(hashOf(98), before), undefined);
  end();
  assert.equal(heads.listeners.size, 0);
});

test('the feed has to wait while the connection has no room', async () => {
  const { feed, notifier, subscribe } = setScene();
  await subscribe('logs', {});
  const [join] = feed.joins;
  assert.equal(join?.listener.waitUntilReady?.(), undefined);
  notifier.room = Promise.resolve();
  assert.equal(join?.listener.waitUntilReady?.(), notifier.room);
});

test('with a future start, the blocks before it are left out', async () => {
  const { feed, notifier, subscribe } = setScene();
  await subscribe('newHeads', { fromBlock: '0x67' });
  for (const number of [101, 102, 103]) feed.send(makeStep('added', number));
  assert.deepEqual(
    notifier.sent.map((header) => (header as { number: string }).number),
    ['0x67'],
  );
});

test('logs of a block are one event with a notification each, within the range of the filter', async () => {
  const { feed, notifier, subscribe } = setScene();
  await subscribe('logs', {
    address: `0x${'AB'.repeat(20)}`,
    topics: [null],
    fromBlock: '0x66',
    toBlock: '0x67',
  });
  assert.deepEqual(feed.joins[0]?.listener.logs?.criteria, {
    addresses: [`0x${'ab'.repeat(20)}`],
    topics: [[]],
  });
  for (const number of [101, 102, 103, 104])
    feed.send(makeStep('added', number), [makeLog(number), makeLog(number)]);
  feed.send(makeStep('removed', 103), [makeLog(103, true)]);
  const sent = notifier.sent as { blockHash: string; removed: boolean }[];
  assert.deepEqual(
    sent.map(({ blockHash, removed }) => [Number(blockHash), removed]),
    [
      [102, false],
      [102, false],
      [103, false],
      [103, false],
      [103, true],
    ],
  );
  assert.equal(notifier.events, 3);
});

test('newPendingTransactions sends hashes, or the objects that are found, with at most 8 requests in flight', async () => {
  const hashes = Array.from({ length: 20 }, (_, i) => hashOf(i));
  const plain = setScene();
  await plain.subscribe('newPendingTransactions');
  plain.feed.announce(hashes);
  assert.deepEqual(plain.notifier.sent, hashes);
  assert.equal(plain.notifier.events, 1);

  let running = 0;
  let most = 0;
  const full = setScene({
    transactions: {
      async getTransaction(reference) {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        const { hash } = reference as { hash: string };
        if (hash === hashOf(3)) throw new Error('away');
        return hash === hashOf(4) ? null : JSON.stringify({ hash });
      },
    },
  });
  await full.subscribe('newPendingTransactions', true);
  full.feed.announce(hashes);
  while (full.notifier.sent.length < 18) await new Promise(setImmediate);
  const found = (full.notifier.sent as { hash: string }[]).map(({ hash }) => hash).sort();
  assert.deepEqual(found, hashes.filter((hash) => hash !== hashOf(3) && hash !== hashOf(4)).sort());
  assert.equal(most, 8);
  full.notifier.end(ID);
  assert.equal(full.feed.pendingListeners.size, 0);
});

test('transactionReceipts sends all receipts or those of listed hashes, which count as values', async () => {
  const receipts = `[{"transactionHash":"${hashOf(7)}","blockHash":"${hashOf(101)}"}]`;
  const parts: FakeChainParts = {
    blocks: {
      getReceipts: async () => receipts,
      getBlock: async () => JSON.stringify({ transactions: [hashOf(6), hashOf(7)] }),
    },
    transactions: { getReceipt: async () => receipts.slice(1, -1) },
  };
  for (const [filter, values] of [
    [undefined, 0],
    [null, 0],
    [{ transactionHashes: null }, 0],
    [{ transactionHashes: [], other: 1 }, 0],
    [{ transactionHashes: [hashOf(7), hashOf(8)] }, 2],
  ] as const) {
    const { feed, notifier, subscribe } = setScene(parts);
    await subscribe('transactionReceipts', ...(filter === undefined ? [] : [filter]));
    assert.equal(feed.joins[0]?.listener.values, values);
    feed.send(makeStep('added', 101));
    while (notifier.events < 1) await new Promise(setImmediate);
    assert.deepEqual(notifier.sent, [JSON.parse(receipts)]);
    notifier.end(ID);
    assert.equal(feed.joined.size, 0);
  }
});

test('a network without pending transactions refuses newPendingTransactions', async () => {
  const { feed, subscribe } = setScene();
  feed.hasPending = false;
  await assert.rejects(
    subscribe('newPendingTransactions'),
    /pending transactions are not available on this network/,
  );
});

test('syncing sends the current status first, then each change', async () => {
  const { feed, notifier, subscribe } = setScene();
  await subscribe('syncing');
  feed.setSynced(false);
  feed.setSynced(true);
  const status = { startingBlock: '0x64', currentBlock: '0x64', highestBlock: '0x64' };
  assert.deepEqual(notifier.sent, [false, { syncing: true, status }, false]);
  notifier.end(ID);
  assert.equal(feed.syncListeners.size, 0);
});

test('an unavailable start has its own error; a start that is lost later ends the connection', async () => {
  for (const [kind, row, message] of [
    [
      'unknownBlock',
      'unknownStart',
      /details: read what is missing with eth_getLogs or eth_getBlockByNumber, and subscribe without a start$/,
    ],
    [
      'tooFar',
      'startTooFar',
      /: more than 10000 blocks before the head \(bound: subscriptions\.startBlocks\)$/,
    ],
    ['closed', 'unavailable', /details$/],
  ] as const) {
    const { feed, subscribe } = setScene();
    feed.failure = new FeedError(kind, 'details');
    await assert.rejects(subscribe('newHeads', { afterHash: hashOf(5) }), (error: RpcError) => {
      assert.equal(error.rowName, row);
      assert.match(error.message, message);
      return true;
    });
  }
  const gone = setScene();
  gone.feed.failure = new FeedError('unknownBlock', 'details', { number: 7n, hash: hashOf(7) });
  await assert.rejects(gone.subscribe('logs', { afterHash: hashOf(9) }), {
    message: `cannot go on where it stopped: details: drop the logs of all blocks above block 7, and subscribe with afterHash ${hashOf(7)}`,
  });
  const { feed, notifier, subscribe } = setScene();
  await subscribe('logs', {});
  feed.fail('tooFar');
  assert.match(notifier.failed ?? '', /without a gap/);
  feed.fail('closed');
  assert.match(notifier.failed ?? '', /no longer served/);
});

test('a subscription outlives its call, whose abort only ends the search for the start', async () => {
  const { feed, notifier, scope, subscribe } = setScene();
  await subscribe('newHeads');
  scope.abort();
  const [join] = feed.joins;
  assert.equal(join?.scope.aborted, false);
  assert.equal(join?.scope.deadline, Number.POSITIVE_INFINITY);
  notifier.end(ID);
  assert.equal(join?.scope.aborted, true);
  assert.equal(feed.joined.size, 0);

  const slow = setScene();
  slow.feed.gate = new Promise(() => {});
  void slow.subscribe('newHeads');
  await new Promise(setImmediate);
  assert.equal(slow.feed.joins[0]?.scope.aborted, false);
  slow.scope.abort();
  assert.equal(slow.feed.joins[0]?.scope.aborted, true);
});
