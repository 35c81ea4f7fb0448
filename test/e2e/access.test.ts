/** Keys, their terms and their limits at a running service: exact answers, and their effect on client libraries. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { FetchRequest, JsonRpcProvider } from 'ethers';
import { createPublicClient, http, LimitExceededRpcError, ResourceUnavailableRpcError } from 'viem';
import { WebSocket } from 'ws';
import { KeyBook } from '../../src/access/keys/key-book.ts';
import { LmdbKeyTable } from '../../src/access/keys/lmdb-key-table.ts';
import { listBuiltinNetworks } from '../../src/config/builtin-config.ts';
import { FACTS } from '../support/development.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { type RunningService, startService } from '../support/service.ts';

const folder = makeTemporaryFolder();
const { erc20, calls } = FACTS.devnet;
const ELSEWHERE = `0x${'00'.repeat(19)}99`;
let services: RunningService[];
let book: KeyBook;

before(async () => {
  const start = (): Promise<RunningService> =>
    startService({
      ...listBuiltinNetworks(),
      dataDir: folder.path,
      access: { credits: { web3_clientVersion: 0 } },
    });
  services = [await start(), await start()];
  book = new KeyBook(new LmdbKeyTable(folder.path));
});
after(async () => {
  await Promise.all(services.map((service) => service.close()));
  await book.close();
  folder.remove();
});

const urlOf = (key: string, service = services[0] as RunningService): string =>
  `http://${service.authority}/v3/${key}`;
const basic = (secret: string): string => `Basic ${Buffer.from(`:${secret}`).toString('base64')}`;

const call = (to: string, id = 1): object => ({
  jsonrpc: '2.0',
  id,
  method: 'eth_call',
  params: [{ to, data: calls.tokenBalance.data }, 'latest'],
});
const chainId = (id = 1): object => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] });

type Reply = {
  readonly status: number;
  readonly retryAfter: string | null;
  /** Present for a key with daily credits. */
  readonly creditsRemaining?: string;
  readonly body: unknown;
};

async function post(
  key: string,
  body: unknown,
  headers: Record<string, string> = {},
  service?: RunningService,
): Promise<Reply> {
  const response = await fetch(urlOf(key, service), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const creditsRemaining = response.headers.get('x-credits-remaining');
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    ...(creditsRemaining !== null && { creditsRemaining }),
    body: await response.json(),
  };
}

const error = (code: number, message: string, id: number | null): object => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});
const REJECTED = (id: number | null = 1): object => error(-32002, 'rejected due to project ID settings', id);

describe('admission', () => {
  test('a key with a secret requires it over HTTP and WebSocket', async () => {
    const { key, secret = '' } = await book.create('secretive', {}, true);
    const refused = {
      status: 401,
      retryAfter: null,
      body: error(-32600, 'invalid project id or project secret', null),
    };
    assert.deepEqual(await post(key, chainId()), refused);
    assert.deepEqual(await post(key, chainId(), { authorization: basic('wrong') }), refused);
    assert.equal((await post(key, chainId(), { authorization: basic(secret) })).status, 200);

    const { authority } = services[0] as RunningService;
    const connect = (options: object): WebSocket => new WebSocket(`ws://${authority}/ws/v3/${key}`, options);
    const stranger = connect({});
    const [{ message }] = await once(stranger, 'error');
    assert.match(message, /401/);
    const friend = connect({ headers: { authorization: basic(secret) } });
    await once(friend, 'open');
    friend.send(JSON.stringify(chainId(7)));
    const [data] = await once(friend, 'message');
    assert.equal(JSON.parse(String(data)).id, 7);
    friend.close();
  });

  test('a key is restricted to its networks, origins and user agents', async () => {
    const { key } = await book.create(
      'bound',
      { networks: ['devnet'], origins: ['https://*.example.org'], userAgents: ['viem'] },
      false,
    );
    const good = { origin: 'https://app.example.org', 'user-agent': 'viem/2' };
    assert.equal((await post(key, chainId(), good)).status, 200);
    for (const bad of [
      { 'user-agent': 'viem/2' },
      { ...good, origin: 'https://example.com' },
      { ...good, 'user-agent': 'curl' },
    ]) {
      assert.deepEqual(await post(key, chainId(), bad), {
        status: 403,
        retryAfter: null,
        body: REJECTED(),
      });
    }
    const byPath = (network: string): Promise<Response> =>
      fetch(`http://${services[0]?.authority}/${network}/v3/${key}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...good },
        body: JSON.stringify(chainId()),
      });
    assert.equal((await byPath('devnet')).status, 200);
    assert.equal((await byPath('rollup')).status, 403);
    assert.equal((await byPath('nowhere')).status, 404);
    const bad = { ...good, 'user-agent': 'curl' };
    assert.deepEqual((await post(key, [chainId()], bad)).body, REJECTED(null), 'a batch is refused as one');
    const long = { ...chainId(), padding: 'x'.repeat(20_000) };
    assert.deepEqual((await post(key, long, bad)).body, REJECTED(null), 'large bodies are not read');
    // Requests outside of the fast path go to the parser of Node.js.
    assert.deepEqual((await post(key, chainId(), { ...bad, te: 'trailers' })).body, REJECTED());
    // Bodies in chunks, compressed, or both.
    const send = async (
      body: Uint8Array | ReadableStream,
      headers: Record<string, string>,
    ): Promise<unknown> => {
      const request = { method: 'POST', headers: { 'content-type': 'application/json', ...bad, ...headers } };
      return (await fetch(urlOf(key), { ...request, body, duplex: 'half' } as RequestInit)).json();
    };
    const packed = { 'content-encoding': 'gzip' };
    const inChunks = (bytes: Uint8Array): ReadableStream => new Blob([new Uint8Array(bytes)]).stream();
    const plain = Buffer.from(JSON.stringify(chainId()));
    assert.deepEqual(await send(inChunks(plain), {}), REJECTED());
    assert.deepEqual(await send(new Uint8Array(gzipSync(plain)), packed), REJECTED());
    assert.deepEqual(await send(inChunks(gzipSync(plain)), packed), REJECTED());
    const grows = gzipSync(JSON.stringify(long));
    assert.deepEqual(await send(new Uint8Array(grows), packed), REJECTED(null), 'unpacked it is large');
    assert.deepEqual(await send(inChunks(Buffer.from(JSON.stringify(long))), {}), REJECTED(null));
    assert.deepEqual((await post(`${key}0`, chainId(), bad)).status, 401);
    const elsewhere = await book.create('elsewhere', { networks: ['rollup'] }, false);
    assert.equal((await post(elsewhere.key, chainId())).status, 403);
  });

  test('a key is restricted to its methods and contracts, item by item in a batch', async () => {
    const { key } = await book.create('narrow', { methods: ['eth_call'], addresses: [erc20] }, false);
    assert.equal((await post(key, call(erc20))).status, 200);
    for (const bad of [call(ELSEWHERE), chainId()]) {
      assert.deepEqual(await post(key, bad), { status: 403, retryAfter: null, body: REJECTED() });
    }
    const { status, body } = await post(key, [
      call(erc20, 1),
      call(ELSEWHERE, 2),
      chainId(3),
      call(erc20, 4),
    ]);
    assert.equal(status, 200);
    const items = body as { id: number; error?: object }[];
    assert.deepEqual(
      items.map(({ id }) => id),
      [1, 2, 3, 4],
    );
    assert.deepEqual(items[1], REJECTED(2));
    assert.deepEqual(items[2], REJECTED(3));
    assert.equal(items[0]?.error ?? items[3]?.error, undefined);
  });

  test('a revoked key closes idle WebSockets within a second, on every replica', async () => {
    const { key, record } = await book.create('doomed', {}, false);
    const sockets = services.map(({ authority }) => new WebSocket(`ws://${authority}/ws/v3/${key}`));
    await Promise.all(sockets.map((socket) => once(socket, 'open')));
    const closed = sockets.map((socket) => once(socket, 'close'));
    await book.revoke(record.id);
    for (const [code, reason] of await Promise.all(closed)) {
      assert.equal(code, 1008);
      assert.equal(String(reason), 'the api key is no longer valid');
    }
    for (const service of services) {
      const response = await fetch(urlOf(key, service), { method: 'POST', body: '{}' });
      assert.equal(response.status, 401);
    }
  });
});

type Limited = { readonly bound: string; readonly allowed: number; readonly sent: number };

/** @param sent number of calls so far, more than which the rate of the last second cannot be */
const LIMITED = (
  words: string,
  { bound, allowed, sent }: Limited,
  reply: Reply,
  id: number | null,
): object => {
  const current = (reply.body as { error: { data: { current_rps: number } } }).error.data.current_rps;
  assert.ok(Number.isInteger(current) && current >= 0 && current <= sent, `${current} of ${sent} calls`);
  const rate = { allowed_rps: allowed, backoff_seconds: Number(reply.retryAfter), current_rps: current };
  return {
    jsonrpc: '2.0',
    id,
    error: {
      code: -32005,
      message: `${words} (bound: ${bound})`,
      data: { see: 'docs/operations.md#limits', bound, ...rate, rate },
    },
  };
};

describe('limits of a key', () => {
  test('a call beyond the rate gets 429 with Retry-After and rate data, an item of a batch its own error', async () => {
    const { key } = await book.create('slow', { rate: { perSecond: 0.5, burst: 2 } }, false);
    assert.equal((await post(key, chainId())).status, 200);
    const { body: items } = await post(key, [
      chainId(1),
      chainId(2),
      { jsonrpc: '2.0', method: 'eth_chainId' },
    ]);
    assert.deepEqual(
      (items as { error?: { code: number } }[]).map((item) => item.error?.code),
      [undefined, -32005],
    );
    const reply = await post(key, chainId(9));
    assert.equal(reply.status, 429);
    assert.match(reply.retryAfter ?? '', /^[12]$/);
    assert.deepEqual(
      reply.body,
      LIMITED('project ID request rate exceeded', { bound: 'key.rate', allowed: 0.5, sent: 5 }, reply, 9),
    );
  });

  test('a key without daily credits left gets 429 until the next day, except for free calls', async () => {
    const { key } = await book.create('poor', { dailyCredits: 200 }, false);
    for (const remaining of ['120', '40']) {
      const answer = await post(key, call(erc20));
      assert.equal(answer.status, 200);
      assert.equal(answer.creditsRemaining, remaining);
    }
    const reply = await post(key, call(erc20));
    assert.equal(reply.creditsRemaining, '40');
    assert.equal(reply.status, 429);
    const seconds = Number(reply.retryAfter);
    assert.ok(seconds >= 1 && seconds <= 86_400);
    assert.deepEqual(
      reply.body,
      LIMITED(
        'daily request count exceeded, request rate limited',
        { bound: 'key.credits', allowed: 0, sent: 3 },
        reply,
        1,
      ),
    );
    const free = { jsonrpc: '2.0', id: 1, method: 'web3_clientVersion', params: [] };
    assert.equal((await post(key, free)).status, 200);
  });

  test('viem recognises the limit error and retries', async () => {
    const { key } = await book.create('viem', { rate: { perSecond: 0.01, burst: 1 } }, false);
    let requests = 0;
    const connect = (retryCount: number) =>
      createPublicClient({
        transport: http(urlOf(key), { retryCount, retryDelay: 1, onFetchRequest: () => void requests++ }),
      });
    await connect(0).getChainId();
    const cause = (problem: { walk(match: (error: unknown) => boolean): unknown }): boolean =>
      problem.walk((one) => one instanceof LimitExceededRpcError) !== null;
    await assert.rejects(connect(0).getChainId(), cause);
    requests = 0;
    await assert.rejects(connect(2).getChainId(), cause);
    assert.equal(requests, 3);
  });

  test('viem treats a forbidden method as an unavailable resource, without retries', async () => {
    const { key } = await book.create('viem too', { methods: ['eth_call'] }, false);
    let requests = 0;
    const client = createPublicClient({
      transport: http(urlOf(key), { retryDelay: 1, onFetchRequest: () => void requests++ }),
    });
    await assert.rejects(
      client.getChainId(),
      (problem: { walk(match: (error: unknown) => boolean): unknown }) =>
        problem.walk((one) => one instanceof ResourceUnavailableRpcError) !== null,
    );
    assert.equal(requests, 1);
  });

  /** ethers treats the seconds of Retry-After as milliseconds: it outlasts a short refusal, but not a long one. */
  test('ethers retries after 429, and reports 403 without retries', async () => {
    const limited = await book.create('ethers', { rate: { perSecond: 300, burst: 1 } }, false);
    const ask = async (key: string, attempts: number): Promise<string> => {
      const request = new FetchRequest(urlOf(key));
      request.setThrottleParams({ maxAttempts: attempts, slotInterval: 20 });
      const provider = new JsonRpcProvider(request, FACTS.devnet.chainId, { staticNetwork: true });
      try {
        return await provider.send('eth_chainId', []);
      } finally {
        provider.destroy();
      }
    };
    const id = `0x${FACTS.devnet.chainId.toString(16)}`;
    const answers = await Promise.all([1, 2, 3].map(() => ask(limited.key, 12)));
    assert.deepEqual(answers, [id, id, id]);
    const once = await book.create('ethers once', { rate: { perSecond: 0.01, burst: 1 } }, false);
    assert.equal(await ask(once.key, 1), id);
    await assert.rejects(ask(once.key, 1), /exceeded maximum retry limit|429/);
    const narrow = await book.create('ethers narrow', { methods: ['eth_call'] }, false);
    await assert.rejects(ask(narrow.key, 12), /403/);
  });
});

test('an address with too many wrong keys is blocked, except for keys in use', async (t) => {
  const place = makeTemporaryFolder();
  const keys = new KeyBook(new LmdbKeyTable(place.path));
  const strict = await startService({
    ...listBuiltinNetworks(),
    dataDir: place.path,
    access: { failures: { perSecond: 0.01, burst: 5 } },
  });
  t.after(async () => {
    await strict.close();
    await keys.close();
    place.remove();
  });
  const ask = (key: string): Promise<Reply> => post(key, chainId(), {}, strict);
  const { key } = await keys.create('regular', {}, false);
  assert.equal((await ask(key)).status, 200);
  const statuses: number[] = [];
  for (let i = 0; i < 8; i++) statuses.push((await ask(`${i}`.repeat(32))).status);
  // Guesses are counted when they are refused: after six of them the next one is blocked.
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 401, 429, 429]);
  assert.equal((await ask(key)).status, 200);
  const { key: unseen } = await keys.create('unseen', {}, false);
  const reply = await ask(unseen);
  assert.equal(reply.status, 429);
  assert.ok(Number(reply.retryAfter) >= 1);
  assert.deepEqual(
    reply.body,
    LIMITED(
      'limit exceeded: too many requests with wrong keys',
      { bound: 'address.failures', allowed: 0.01, sent: 8 },
      reply,
      null,
    ),
  );
});
