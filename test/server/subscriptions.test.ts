/** Subscriptions over real WebSockets: the real gateway and methods over a fake feed. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { KeyRules } from '../../src/access/key-rules.ts';
import { Limiter } from '../../src/access/limits/limiter.ts';
import type { Principal } from '../../src/access/principal.ts';
import { composeGateway } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import type { Network } from '../../src/methods/network.ts';
import { CallRecorder } from '../../src/observe/call-recorder.ts';
import { SubscriptionRecorder } from '../../src/observe/subscription-recorder.ts';
import type { Server } from '../../src/server/lifecycle.ts';
import { createRecordingLog } from '../gateway/recording-log.ts';
import { openTo } from '../support/access.ts';
import { createCertificate } from '../support/certificate.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { createFakeChain, type FakeChainParts } from '../support/fake-chain.ts';
import { FakeFeed, FakeHeads, hashOf, makeLog, makeStep } from '../support/fake-feed.ts';
import { waitUntil } from '../support/wait-until.ts';
import { encodeRequest, exchange, Gate, HOST, KEY, letArrive, type Setup, startServer } from './support.ts';

type Scene = {
  readonly port: number;
  readonly server: Server;
  readonly feed: FakeFeed;
  readonly counts: SubscriptionRecorder;
  readonly calls: CallRecorder;
  /** Opens a client. */
  connect(): Promise<Client>;
};

type SceneParts = Pick<Setup, 'limits' | 'listen'> & {
  readonly chain?: FakeChainParts;
  readonly principal?: Principal;
  readonly limiter?: Limiter;
};

async function setScene(t: TestContext, parts: SceneParts = {}): Promise<Scene> {
  const feed = new FakeFeed();
  const heads = new FakeHeads(100n);
  const network: Network = {
    name: 'test',
    chain: createFakeChain({ heads, ...parts.chain }),
    feed,
    safeTag: 'finalized',
    callTimeoutMs: 5_000,
    allowsDemoKey: false,
  };
  const counts = new SubscriptionRecorder();
  const calls = new CallRecorder(new Set());
  const principal = parts.principal ?? { id: 'p', name: 'p' };
  const access = openTo((key) => (key === KEY ? principal : undefined));
  const gateway = composeGateway({
    networks: new NetworkRegistry([{ hosts: [HOST], network }]),
    access: { ...access, ...(parts.limiter !== undefined && { limiter: parts.limiter }) },
    clientVersion: 'Portcullis/1.2.3',
    log: createRecordingLog(),
    observer: calls,
    subscriptions: counts,
  });
  const { port, server } = await startServer(t, {
    gateway,
    limits: parts.limits ?? {},
    ...(parts.listen !== undefined && { listen: parts.listen }),
  });
  return {
    port,
    server,
    feed,
    counts,
    calls,
    connect: () => Client.open(t, port, parts.listen?.tls && 'wss'),
  };
}

type Message = {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly method?: string;
  readonly params?: { readonly subscription: string; readonly result: unknown };
};

/** A client that records its messages, in order. */
class Client {
  readonly ws: WebSocket;
  readonly texts: string[] = [];
  readonly closed: Promise<[number, string]>;
  #id = 0;

  private constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on('message', (data) => this.texts.push(String(data)));
    ws.on('error', () => {});
    this.closed = once(ws, 'close').then(([code, reason]) => [code as number, String(reason)]);
  }

  static async open(t: TestContext, port: number, scheme = 'ws'): Promise<Client> {
    const options = { headers: { Host: HOST }, rejectUnauthorized: false };
    const client = new Client(new WebSocket(`${scheme}://127.0.0.1:${port}/ws/v3/${KEY}`, options));
    t.after(() => client.ws.terminate());
    await once(client.ws, 'open');
    return client;
  }

  get messages(): (Message | Message[])[] {
    return this.texts.map((text) => JSON.parse(text));
  }

  get notifications(): NonNullable<Message['params']>[] {
    return this.messages.flatMap((message) => (message as Message).params ?? []);
  }

  send(method: string, ...params: readonly unknown[]): number {
    const id = ++this.#id;
    this.ws.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return id;
  }

  async call(method: string, ...params: readonly unknown[]): Promise<Message> {
    const id = this.send(method, ...params);
    const find = (): Message | undefined =>
      this.messages.flat().find((message) => message.id === id && message.method === undefined);
    await waitUntil(() => find() !== undefined);
    return find() as Message;
  }

  /** @returns the subscription id */
  async subscribe(...params: readonly unknown[]): Promise<string> {
    const { result, error } = await this.call('eth_subscribe', ...params);
    assert.equal(error, undefined);
    return result as string;
  }
}

const numberOf = (result: unknown): number => Number((result as { number: string }).number);

test('notifications equal those of geth byte for byte, at any length', async (t) => {
  const { feed, connect } = await setScene(t);
  const client = await connect();
  const id = await client.subscribe('newHeads');
  assert.match(id, /^0x[0-9a-f]{32}$/);
  const steps = [0, 1, 20, 30_000, 70_000].map((filler, i) => makeStep('added', 101 + i, filler));
  for (const step of steps) feed.send(step);
  await waitUntil(() => client.texts.length === 1 + steps.length);
  assert.deepEqual(
    client.texts.slice(1),
    steps.map(
      ({ block }) =>
        `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${block.header}}}`,
    ),
  );
});

test('notifications are sent over TLS', async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const { cert, key } = createCertificate();
  const tls = { cert: join(folder.path, 'tls.crt'), key: join(folder.path, 'tls.key') };
  writeFileSync(tls.cert, cert);
  writeFileSync(tls.key, key);
  const { feed, connect } = await setScene(t, { listen: { tls } });
  const client = await connect();
  await client.subscribe('newHeads');
  for (let number = 101; number <= 150; number++) feed.send(makeStep('added', number, 10_000));
  await waitUntil(() => client.notifications.length === 50);
  assert.deepEqual(
    client.notifications.map(({ result }) => numberOf(result)),
    Array.from({ length: 50 }, (_, i) => 101 + i),
  );
});

test('each subscription gets its own notifications in order, beside the answers to calls', async (t) => {
  const { feed, connect } = await setScene(t);
  const [a, b] = [await connect(), await connect()];
  const heads = [await a.subscribe('newHeads'), await a.subscribe('newHeads'), await b.subscribe('newHeads')];
  const logs = await b.subscribe('logs', {});
  for (let number = 101; number <= 130; number++) {
    feed.send(makeStep('added', number), [makeLog(number), makeLog(number)]);
    a.send('eth_chainId');
    if (number % 7 === 0) await new Promise(setImmediate);
  }
  await waitUntil(() => a.texts.length === 2 + 60 + 30 && b.texts.length === 2 + 30 + 60);
  const wanted = Array.from({ length: 30 }, (_, i) => 101 + i);
  for (const [client, id] of [
    [a, heads[0]],
    [a, heads[1]],
    [b, heads[2]],
  ] as const) {
    const own = client.notifications.filter(({ subscription }) => subscription === id);
    assert.deepEqual(
      own.map(({ result }) => numberOf(result)),
      wanted,
    );
  }
  const own = b.notifications.filter(({ subscription }) => subscription === logs);
  assert.deepEqual(
    own.map(({ result }) => Number((result as { blockHash: string }).blockHash)),
    wanted.flatMap((number) => [number, number]),
  );
});

test('events before the answer with the subscription id are sent after it, in a batch too', async (t) => {
  const gate = new Gate();
  const { feed, connect } = await setScene(t, {
    chain: {
      fees: {
        getGasPrice: async () => {
          await gate.opened;
          return '"0x1"';
        },
      },
    },
  });
  feed.replay = [makeStep('added', 99), makeStep('added', 100)];
  const client = await connect();
  const call = (id: number, method: string, ...params: readonly unknown[]): object => ({
    jsonrpc: '2.0',
    id,
    method,
    params,
  });
  const start = { afterHash: hashOf(98) };
  client.ws.send(
    JSON.stringify([
      call(1, 'eth_subscribe', 'newHeads', start),
      call(2, 'eth_gasPrice'),
      call(3, 'eth_subscribe', 'nothing'),
      call(4, 'eth_subscribe', 'newHeads', start),
    ]),
  );
  await waitUntil(() => feed.joined.size === 2);
  feed.send(makeStep('added', 101));
  await client.call('eth_chainId');
  assert.equal(client.texts.length, 1, 'nothing before the batch');
  gate.open();
  await waitUntil(() => client.texts.length === 2 + 6);
  const batch = client.messages[1] as Message[];
  assert.equal(batch[2]?.error?.code, -32601);
  feed.send(makeStep('added', 102));
  await waitUntil(() => client.texts.length === 2 + 8);
  for (const id of [batch[0]?.result, batch[3]?.result]) {
    const own = client.notifications.filter(({ subscription }) => subscription === id);
    assert.deepEqual(
      own.map(({ result }) => numberOf(result)),
      [99, 100, 101, 102],
    );
  }
});

test('a notification of eth_subscribe creates no subscription', async (t) => {
  const { feed, connect } = await setScene(t);
  const client = await connect();
  client.ws.send('{"jsonrpc":"2.0","method":"eth_subscribe","params":["newHeads"]}');
  await waitUntil(() => feed.joins.length === 1);
  await client.call('eth_chainId');
  assert.equal(feed.joined.size, 0);
});

test('eth_unsubscribe ends a subscription at once, and only one of its own connection', async (t) => {
  const { feed, connect, counts } = await setScene(t);
  const client = await connect();
  const other = await connect();
  const [first, second] = [await client.subscribe('newHeads'), await client.subscribe('newHeads')];
  assert.equal((await other.call('eth_unsubscribe', first)).error?.message, 'subscription not found');
  feed.send(makeStep('added', 101));
  assert.equal((await client.call('eth_unsubscribe', first)).result, true);
  assert.deepEqual((await client.call('eth_unsubscribe', first)).error, {
    code: -32000,
    message: 'subscription not found',
  });
  assert.equal(feed.joined.size, 1);
  assert.equal(counts.countsOf('test', 'newHeads').open, 1);
  feed.send(makeStep('added', 102));
  await client.call('eth_chainId');
  assert.deepEqual(
    client.notifications.map(({ subscription, result }) => [subscription === second, numberOf(result)]),
    [
      [false, 101],
      [true, 101],
      [true, 102],
    ],
  );
  assert.equal(
    (await client.call('eth_unsubscribe')).error?.message,
    'missing value for required argument 0',
  );
});

test('subscriptions are not supported over HTTP', async (t) => {
  const { port } = await setScene(t);
  for (const [method, code, message] of [
    ['eth_subscribe', -32601, 'notifications not supported'],
    ['eth_unsubscribe', -32000, 'subscription not found'],
  ] as const) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: ['newHeads'] });
    const answer = await exchange(port, encodeRequest(body));
    assert.deepEqual(JSON.parse(String(answer.body)).error, { code, message });
  }
});

test('subscriptions are bounded per connection, and per key by its share of the total', async (t) => {
  const { feed, connect } = await setScene(t, { limits: { webSocketSubscriptions: 3, subscriptions: 8 } });
  const clients = [await connect(), await connect()];
  const outcomes: string[] = [];
  for (const client of clients) {
    for (let i = 0; i < 4; i++) {
      const { error } = await client.call('eth_subscribe', 'newHeads');
      outcomes.push(error === undefined ? 'open' : `${error.code} ${error.message}`);
    }
  }
  const perConnection =
    '-32005 limit exceeded: a connection has at most 3 subscriptions (bound: webSocket.subscriptions)';
  const perKey = '-32005 limit exceeded: the api key has too many subscriptions (bound: subscriptions)';
  assert.deepEqual(outcomes, ['open', 'open', 'open', perConnection, 'open', perKey, perKey, perKey]);
  clients[0]?.ws.terminate();
  await waitUntil(() => feed.joined.size === 1);
  assert.equal((await (clients[1] as Client).call('eth_subscribe', 'newHeads')).error, undefined);
});

test('1,000 subscriptions end when the client disconnects, including one in progress', async (t) => {
  const { feed, connect, counts, server } = await setScene(t);
  const client = await connect();
  for (let i = 0; i < 997; i++) client.send('eth_subscribe', 'newHeads');
  client.send('eth_subscribe', 'newPendingTransactions');
  client.send('eth_subscribe', 'syncing');
  await waitUntil(() => client.texts.length === 1_000);
  const gate = new Gate();
  feed.gate = gate.opened;
  client.send('eth_subscribe', 'newHeads');
  await waitUntil(() => feed.joins.length === 998);
  assert.equal(server.shares.subscriptions, 1_000);
  client.ws.terminate();
  await waitUntil(() => server.shares.subscriptions === 0);
  assert.equal(feed.joined.size, 0);
  assert.equal(feed.pendingListeners.size + feed.syncListeners.size, 0);
  assert.equal(feed.joins.at(-1)?.scope.aborted, true);
  gate.open();
  await new Promise(setImmediate);
  assert.equal(feed.joined.size, 0);
  assert.deepEqual(
    counts.list().map(({ kind, open }) => [kind, open]),
    [
      ['newHeads', 0],
      ['newPendingTransactions', 0],
      ['syncing', 0],
    ],
  );
});

test('a client that does not read is closed with a reason, and other clients get all notifications', async (t) => {
  const { feed, connect, server } = await setScene(t, { limits: { webSocketBufferedBytes: 4_000_000 } });
  const [slow, fast] = [await connect(), await connect()];
  await slow.subscribe('newHeads');
  await fast.subscribe('newHeads');
  slow.ws.pause();
  let number = 100;
  while (server.shares.slowSubscribers === 0 && number < 1_000) {
    feed.send(makeStep('added', ++number, 100_000));
    await waitUntil(() => fast.notifications.length === number - 100);
  }
  assert.equal(server.shares.slowSubscribers, 1);
  assert.equal(feed.joined.size, 1);
  slow.ws.resume();
  const [code, reason] = await slow.closed;
  assert.deepEqual(
    [code, reason],
    [
      1008,
      'notifications are read too slowly: subscribe again after the last block (bound: webSocket.unsentBytes)',
    ],
  );
  const seen = slow.notifications.map(({ result }) => numberOf(result));
  assert.deepEqual(
    seen,
    Array.from({ length: seen.length }, (_, i) => 101 + i),
    'a prefix without a gap',
  );
  assert.deepEqual(
    fast.notifications.map(({ result }) => numberOf(result)),
    Array.from({ length: number - 100 }, (_, i) => 101 + i),
  );
});

test('past events wait for a client that reads slowly, and continue when it reads', async (t) => {
  const { feed, connect, server } = await setScene(t, { limits: { webSocketHighWaterBytes: 1_000_000 } });
  const client = await connect();
  await client.subscribe('newHeads', { afterHash: hashOf(100) });
  client.ws.pause();
  const waitUntilReady = (): Promise<void> | undefined => feed.joins[0]?.listener.waitUntilReady?.();
  let number = 100;
  let waiting = waitUntilReady();
  while (waiting === undefined && number < 1_000) {
    feed.send(makeStep('added', ++number, 100_000));
    await new Promise(setImmediate);
    waiting = waitUntilReady();
  }
  assert.ok(waiting !== undefined, 'it never waits');
  client.ws.resume();
  await waiting;
  await waitUntil(() => client.notifications.length === number - 100);
  assert.equal(waitUntilReady(), undefined);
  assert.equal(server.shares.slowSubscribers, 0);
});

test('past events do not wait for a client that has disconnected', async (t) => {
  const { feed, connect } = await setScene(t, { limits: { webSocketHighWaterBytes: 1_000 } });
  const client = await connect();
  await client.subscribe('newHeads');
  const [join] = feed.joins;
  client.ws.pause();
  let waiting = join?.listener.waitUntilReady?.();
  for (let number = 101; waiting === undefined && number < 1_000; number++) {
    feed.send(makeStep('added', number, 100_000));
    await new Promise(setImmediate);
    waiting = join?.listener.waitUntilReady?.();
  }
  client.ws.terminate();
  await waiting;
  await waitUntil(() => feed.joined.size === 0);
  assert.equal(join?.listener.waitUntilReady?.(), undefined);
});

test('events held back until the answer are bounded too', async (t) => {
  const gate = new Gate();
  const { feed, connect, server } = await setScene(t, {
    limits: { webSocketBufferedBytes: 1_000_000 },
    chain: {
      fees: {
        getGasPrice: async () => {
          await gate.opened;
          return '"0x1"';
        },
      },
    },
  });
  const client = await connect();
  client.ws.send(
    '[{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]},{"jsonrpc":"2.0","id":2,"method":"eth_gasPrice","params":[]}]',
  );
  await waitUntil(() => feed.joined.size === 1);
  for (let i = 0; i < 12; i++) feed.send(makeStep('added', 101 + i, 100_000));
  assert.equal(feed.joined.size, 0);
  assert.equal((await client.closed)[0], 1008);
  gate.open();
  await waitUntil(() => server.shares.unsentBytes === 0);
});

test('a feed that ends closes with 1012, and so does a stop; without subscriptions a stop closes with 1001', async (t) => {
  const { feed, connect, server } = await setScene(t);
  const lost = await connect();
  await lost.subscribe('logs', {});
  const idle = await connect();
  feed.fail('closed');
  assert.deepEqual(await lost.closed, [1012, 'the network is no longer served: connect again']);
  const stopped = await connect();
  await stopped.subscribe('newHeads');
  const closing = server.close();
  assert.deepEqual(await stopped.closed, [1012, 'shutting down: connect again']);
  assert.deepEqual(await idle.closed, [1001, 'shutting down']);
  await closing;
  assert.equal(feed.joined.size, 0);
});

test('notifications wait behind a streamed answer', async (t) => {
  const gate = new Gate();
  const { feed, connect } = await setScene(t, {
    chain: {
      blocks: {
        getReceipts: () => ({
          pieces: (async function* () {
            yield Buffer.from(`["${'a'.repeat(200_000)}",`);
            await gate.opened;
            yield Buffer.from(`"${'b'.repeat(200_000)}"]`);
          })(),
          cancel: () => {},
        }),
      },
    },
  });
  const client = await connect();
  await client.subscribe('newHeads');
  const taken = once(client.ws, 'message');
  client.send('eth_getBlockReceipts', '0x1');
  await letArrive();
  for (const number of [101, 102]) {
    feed.send(makeStep('added', number));
    await new Promise(setImmediate);
  }
  assert.equal(client.texts.length, 1);
  gate.open();
  await taken;
  await waitUntil(() => client.texts.length === 4);
  assert.equal(((client.messages[1] as Message).result as string[]).length, 2);
  assert.deepEqual(
    client.notifications.map(({ result }) => numberOf(result)),
    [101, 102],
  );
});

test('notifications cost credits by event; a key without credits left is closed', async (t) => {
  let spent = 0;
  const limiter = new Limiter({
    table: {
      share: 1,
      unreported: 1,
      draw({ tokens, spending }) {
        spent += spending?.credits ?? 0;
        return { tokens, waitMs: 0, spent };
      },
      close: async () => {},
    },
    failures: { perSecond: 1, burst: 1 },
    networks: new Map(),
  });
  t.after(() => limiter.close());
  const principal: Principal = { id: 'p', name: 'p', terms: { dailyCredits: 1_000 } as never };
  const { feed, connect, calls } = await setScene(t, { principal, limiter });
  const client = await connect();
  await client.subscribe('newHeads');
  await client.subscribe('logs', {});
  // 10 credits for the calls, 350 for each block with logs.
  feed.send(makeStep('added', 101), [makeLog(101), makeLog(101)]);
  feed.send(makeStep('added', 102), [makeLog(102)]);
  await waitUntil(() => calls.keys.list()[0]?.credits === 710);
  assert.equal(client.ws.readyState, WebSocket.OPEN);
  feed.send(makeStep('added', 103), [makeLog(103)]);
  assert.deepEqual(await client.closed, [
    1008,
    'daily request count exceeded, request rate limited (bound: key.credits)',
  ]);
  assert.equal(feed.joined.size, 0);
  // Notifications that were sent are charged even above the remaining credits.
  const again = await connect();
  assert.equal((await again.call('eth_subscribe', 'newHeads')).error?.code, -32005);
});

test('a start in the past is charged, and so are the past blocks that a subscription searches for logs', async (t) => {
  const { feed, connect, calls } = await setScene(t);
  const client = await connect();
  await client.subscribe('newHeads', { fromBlock: '0x1' });
  await client.subscribe('logs', {}, { fromBlock: '0x1' });
  for (const { listener } of feed.joins)
    for (let block = 0; block < 20; block++) assert.equal(listener.waitUntilReady?.(), undefined);
  // Two calls of 5, two starts of 80, 20 blocks of 5.
  await waitUntil(() => calls.keys.list()[0]?.credits === 270);
  await client.subscribe('newHeads', { afterHash: hashOf(1) });
  assert.equal(calls.keys.list()[0]?.credits, 355);
});

test('full pending transactions are charged one by one as they are sent', async (t) => {
  const { feed, connect, calls } = await setScene(t, {
    chain: { transactions: { getTransaction: (of) => ('hash' in of ? `{"hash":"${of.hash}"}` : null) } },
  });
  const client = await connect();
  await client.subscribe('newPendingTransactions', true);
  feed.announce([1, 2, 3].map(hashOf));
  await waitUntil(() => client.notifications.length === 3);
  // The call costs 5 and each transaction 200; hashes sent together would cost 200 in all.
  await waitUntil(() => calls.keys.list()[0]?.credits === 605);
});

test('a key with a contract scope may subscribe to blocks, and only to logs of its contracts', async (t) => {
  const rules = KeyRules.of({ addresses: [`0x${'ab'.repeat(20)}`] });
  const principal: Principal = { id: 'p', name: 'p', terms: { rules } as never };
  const { connect } = await setScene(t, { principal });
  const client = await connect();
  await client.subscribe('newHeads');
  await client.subscribe('logs', { address: `0x${'AB'.repeat(20)}` });
  for (const filter of [{}, { address: `0x${'cd'.repeat(20)}` }, undefined]) {
    const { error } = await client.call('eth_subscribe', 'logs', ...(filter === undefined ? [] : [filter]));
    assert.equal(error?.code, -32002);
  }
});
