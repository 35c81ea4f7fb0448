import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyVerifier } from '../../src/access/principal.ts';
import { composeGateway, type Gateway, type GatewayLimits } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import type { Network } from '../../src/methods/network.ts';
import { FairQueue } from '../../src/util/fair-queue.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { SCHEDULER, SLOT_MS } from '../../src/util/slot-scheduler.ts';
import { openTo } from '../support/access.ts';
import { makeVisitor } from '../support/visitor.ts';
import { createRecordingLog, type RecordingLog } from './recording-log.ts';
import { createScriptedNetwork, playing, ScriptedChain } from './scripted-network.ts';

const KEY = '0123456789abcdef0123456789abcdef';
const PRINCIPAL = { id: 'p1', name: 'tester' };

type Parts = {
  readonly limits?: Partial<GatewayLimits>;
  readonly network?: Partial<Network>;
  readonly verify?: KeyVerifier['verify'];
};

type Setup = {
  readonly gateway: Gateway;
  readonly chain: ScriptedChain;
  readonly network: Network;
  readonly log: RecordingLog;
  /** Sends a body. @returns status and body of the response */
  send(body: string, scope?: RequestScope): Promise<readonly [number, string]>;
};

function setUp({ limits = {}, network: overrides = {}, verify }: Parts = {}): Setup {
  const chain = new ScriptedChain();
  const network = createScriptedNetwork(chain, overrides);
  const log = createRecordingLog();
  const gateway = composeGateway({
    networks: new NetworkRegistry([{ hosts: ['devnet.localhost'], network }]),
    access: openTo(verify ?? ((key) => (key === KEY ? PRINCIPAL : undefined))),
    clientVersion: 'Portcullis/1.2.3',
    limits,
    log,
  });
  return {
    gateway,
    chain,
    network,
    log,
    async send(body, scope = new RequestScope(performance.now() + 60_000)) {
      const answer = await gateway.handle(Buffer.from(body), { network, principal: PRINCIPAL }, scope);
      assert.ok(typeof answer.body === 'string');
      return [answer.status, answer.body];
    },
  };
}

function call(part: number, id = '1'): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"eth_call","params":[{"to":"${playing(part)}"},"latest"]}`;
}

const error = (code: number, message: string, id = '1'): string =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"${message}"}}`;

test('admission checks the host, then the key; a refusal is a whole answer and never repeats the key', async () => {
  const { gateway, network } = setUp();
  const refusalOf = async (host: string | undefined, key: string | undefined): Promise<unknown> => {
    const outcome = await gateway.admit(makeVisitor(host, key));
    return 'refused' in outcome ? [outcome.refused.status, outcome.refused.body] : outcome;
  };
  assert.deepEqual(await refusalOf('devnet.localhost:8545', KEY), { network, principal: PRINCIPAL });
  assert.deepEqual(await refusalOf('elsewhere', KEY), [
    404,
    error(-32600, 'no network is served under this host name', 'null'),
  ]);
  const missing = [401, error(-32600, 'project id required in the url', 'null')];
  assert.deepEqual(await refusalOf('devnet.localhost', undefined), missing);
  assert.deepEqual(await refusalOf('devnet.localhost', ''), missing);
  assert.deepEqual(await refusalOf('devnet.localhost', 'nokey'), [
    401,
    error(-32600, 'invalid project id', 'null'),
  ]);
});

test('admission by path selects the network by name, whatever the host is', async () => {
  const { gateway, network } = setUp();
  const admit = async (name: string, host: string | undefined, key: string): Promise<unknown> => {
    const outcome = await gateway.admit(makeVisitor(host, key, { network: name }));
    return 'refused' in outcome ? [outcome.refused.status, outcome.refused.body] : outcome;
  };
  for (const host of ['elsewhere', 'devnet.localhost', '127.0.0.1:8545', undefined]) {
    assert.deepEqual(await admit(network.name, host, KEY), { network, principal: PRINCIPAL });
  }
  const unknown = [404, error(-32600, 'no network of this name is served here', 'null')];
  for (const name of ['elsewhere', network.name.toUpperCase(), 'devnet.localhost', '__proto__', '']) {
    assert.deepEqual(await admit(name, 'devnet.localhost', KEY), unknown, name);
  }
  assert.deepEqual(await admit(network.name, 'elsewhere', 'nokey'), [
    401,
    error(-32600, 'invalid project id', 'null'),
  ]);
});

test('admission of the key demo by path needs a host that clients of this machine send', async () => {
  const { gateway, network } = setUp();
  const statusOf = async (host: string | undefined): Promise<number> => {
    const outcome = await gateway.admit(makeVisitor(host, 'demo', { network: network.name }));
    return 'refused' in outcome ? outcome.refused.status : 200;
  };
  for (const host of [
    '127.0.0.1:8545',
    'localhost',
    'LOCALHOST:1',
    '[::1]:8545',
    'devnet.localhost',
    undefined,
  ]) {
    assert.equal(await statusOf(host), 200, host);
  }
  for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '1e100.net']) {
    assert.equal(await statusOf(host), 404, host);
  }
});

test('the key demo opens only networks that allow it', async () => {
  const open = await setUp().gateway.admit(makeVisitor('devnet.localhost', 'demo'));
  assert.equal('principal' in open && open.principal.id, 'demo');
  const closed = setUp({
    network: { allowsDemoKey: false },
    verify: () => assert.fail('demo is no stored key'),
  });
  const refused = await closed.gateway.admit(makeVisitor('devnet.localhost', 'demo'));
  assert.equal('refused' in refused && refused.refused.status, 401);
});

test('a failing key store refuses without a reason, and the log does not contain the key', async () => {
  const { gateway, log } = setUp({
    verify: (key) => {
      throw new Error(`cannot read ${key}`);
    },
  });
  const outcome = await gateway.admit(makeVisitor('devnet.localhost', KEY));
  assert.ok('refused' in outcome);
  assert.deepEqual(outcome.refused, {
    status: 503,
    body: error(-32603, 'internal error: the api key cannot be checked now', 'null'),
  });
  assert.equal(log.lines.length, 1);
  assert.ok(!log.lines.join().includes(KEY));
});

test('refusals of a transport have a JSON-RPC error and its HTTP status', () => {
  const { gateway } = setUp();
  const statuses = {
    notFound: 404,
    methodNotAllowed: 405,
    unsupportedMediaType: 415,
    'body.bytes': 413,
    parseError: 400,
    'unsent.bytes': 429,
    'body.time': 408,
  } as const;
  for (const [reason, status] of Object.entries(statuses)) {
    const answer = gateway.refuse(reason as keyof typeof statuses);
    assert.equal(answer.status, status);
    const body = JSON.parse(answer.body);
    assert.equal(body.id, null);
    assert.equal(typeof body.error.code, 'number');
  }
});

test('a fault is logged once, with its location and without its message or the parameters', async () => {
  const { send, log } = setUp();
  assert.deepEqual(await send(call(6)), [200, error(-32603, 'internal error')]);
  assert.equal(log.lines.length, 1);
  assert.match(log.lines.join(), /eth_call.*TypeError.*scripted-network/);
  assert.doesNotMatch(log.lines.join(), /secret|0000000006/);
});

test('a call that does not end is ended by the time limit of its network', async () => {
  const { send } = setUp({ network: { callTimeoutMs: 20 } });
  assert.deepEqual(await send(call(7)), [
    200,
    error(-32000, 'execution aborted (timeout = 20ms) (bound: call.time)'),
  ]);
});

test('the time limit aborts a chain that listens to the signal', async () => {
  const { send, chain } = setUp({ network: { callTimeoutMs: 20 } });
  assert.deepEqual(await send(call(8)), [
    200,
    error(-32000, 'execution aborted (timeout = 20ms) (bound: call.time)'),
  ]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(chain.running, 0);
});

test('the time limit of a body applies to all of its items', async () => {
  const { send, chain } = setUp({ limits: { bodyTimeoutMs: 20, batchConcurrency: 2 } });
  const [, body] = await send(`[${[1, 2, 3, 4].map((id) => call(7, `${id}`)).join()}]`);
  assert.equal(
    body,
    `[${[1, 2, 3, 4].map((id) => error(-32002, 'request timed out (bound: request.time)', `${id}`)).join()}]`,
  );
  assert.equal(chain.requests.length, 2);
});

test('the calls of a client that disconnects are cancelled', async () => {
  const { send, chain } = setUp();
  const scope = new RequestScope(performance.now() + 60_000);
  const answer = send(`[${call(8)},${call(8, '2')}]`, scope);
  while (chain.running < 2) await new Promise((resolve) => setImmediate(resolve));
  scope.abort();
  assert.deepEqual(await answer, [
    200,
    `[${error(-32000, 'request cancelled')},${error(-32000, 'request cancelled', '2')}]`,
  ]);
  assert.equal(chain.running, 0);
});

test('more concurrent bodies than allowed are refused, and ended bodies free their places', async () => {
  const { send } = setUp({ limits: { bodiesInFlight: 2 } });
  const scope = new RequestScope(performance.now() + 60_000);
  const waiting = [send(call(8), scope), send(call(8), scope)];
  assert.deepEqual(await send(call(0)), [
    429,
    error(-32005, 'limit exceeded: too many requests in progress (bound: bodies)', 'null'),
  ]);
  scope.abort();
  await Promise.all(waiting);
  assert.deepEqual(await send(call(0)), [200, '{"jsonrpc":"2.0","id":1,"result":"0x"}']);
});

test('a batch runs 16 calls at a time, and 128 on a network of nodes while the key has room for them', async () => {
  const batch = `[${Array.from({ length: 200 }, (_, id) => call(8, `${id}`)).join()}]`;
  const slots = (running: number): FairQueue => new FairQueue({ running, waiting: 200, waitMs: 60_000 });
  const cases: readonly [Partial<Network>, number][] = [
    [{}, 16],
    [{ hasNodes: true }, 128],
    [{ hasNodes: true, slots: slots(128) }, 128],
    [{ hasNodes: true, slots: slots(127) }, 16],
  ];
  for (const [network, running] of cases) {
    const { send, chain } = setUp({ network });
    const scope = new RequestScope(performance.now() + 60_000);
    const answer = send(batch, scope);
    while (chain.running < running) await new Promise((resolve) => setImmediate(resolve));
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(chain.mostRunning, running);
    scope.abort();
    assert.equal((await answer)[0], 200);
  }
});

test('a batch without room for its key waits for the other calls of the key, and then runs with full concurrency', async () => {
  const batch = `[${Array.from({ length: 100 }, (_, id) => call(8, `${id}`)).join()}]`;
  // The clock stands still, so no group exceeds its maximum wait.
  const slots = new FairQueue({ running: 150, waiting: 200, waitMs: 60_000 }, () => 0);
  const { send, chain } = setUp({ network: { hasNodes: true, slots } });
  const pass = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const [first, second] = [0, 1].map(() => new RequestScope(performance.now() + 60_000));
  const earlier = send(batch, first);
  while (chain.running < 100) await pass();
  const later = send(batch, second);
  for (let turn = 0; turn < 10; turn++) await pass();
  assert.equal(chain.mostRunning, 100);
  first?.abort();
  await earlier;
  while (chain.running < 100) await pass();
  second?.abort();
  assert.equal((await later)[0], 200);
  assert.equal(slots.running, 0);
});

test('a batch that pauses keeps the slots that it reserved for items not yet started', async () => {
  const batch = `[${Array.from({ length: 100 }, (_, id) => call(8, `${id}`)).join()}]`;
  const slots = new FairQueue({ running: 150, waiting: 200, waitMs: 60_000 }, () => 0);
  const { send, chain } = setUp({ network: { hasNodes: true, slots } });
  const [first, second] = [0, 1].map(() => new RequestScope(performance.now() + 60_000));
  // Neither batch begins in this turn of the event loop.
  SCHEDULER.spend(SLOT_MS);
  const answers = [send(batch, first), send(batch, second)];
  assert.equal(chain.running, 0);
  for (let turn = 0; turn < 10 || chain.running < 100; turn++)
    await new Promise((resolve) => setImmediate(resolve));
  assert.equal(chain.mostRunning, 100);
  assert.equal(slots.running, 100);
  first?.abort();
  second?.abort();
  await Promise.all(answers);
  assert.equal(slots.running, 0);
});

test('items of a batch are answered in their order', async () => {
  const { send } = setUp();
  const ids = Array.from({ length: 100 }, (_, i) => i);
  const [status, body] = await send(`[${ids.map((id) => call(10, `${id}`)).join()}]`);
  assert.equal(status, 200);
  assert.equal(body, `[${ids.map((id) => `{"jsonrpc":"2.0","id":${id},"result":"0x0a"}`).join()}]`);
});

test('1,000 items are a batch, 1,001 are refused with one error', async () => {
  const { send, chain } = setUp();
  const batch = (length: number): string =>
    `[${Array.from({ length }, (_, i) => `{"jsonrpc":"2.0","id":${i}.0,"method":"eth_chainId"}`).join()}]`;
  const [, accepted] = await send(batch(1_000));
  assert.equal(accepted.split('"result"').length - 1, 1_000);
  const refusal = [
    200,
    error(-32600, 'batch too large: the limit is 1000 items (bound: batch.items)', 'null'),
  ];
  assert.deepEqual(await send(batch(1_001)), refusal);
  assert.deepEqual(await send(`[${new Array(500_000).fill('{"id":1}').join()}]`), refusal);
  assert.equal(chain.requests.length, 0);
});

test('a small batch with too many items is refused the same way', async () => {
  const { send } = setUp({ limits: { batchItems: 2 } });
  const refusal = [200, error(-32600, 'batch too large: the limit is 2 items (bound: batch.items)', 'null')];
  assert.deepEqual(await send('[{},{},{}]'), refusal);
});

test('a body with more elements and members than any valid one is refused, wherever they are', async () => {
  const { send } = setUp();
  const members = Array.from({ length: 120_000 }, (_, i) => `"k${i}":1`).join();
  const refusal = [
    200,
    error(-32600, 'invalid request: more than 100000 elements and members (bound: body.values)', 'null'),
  ];
  for (const body of [
    `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{${members}},"latest"]}`,
    `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{},"latest"],${members}}`,
    `[{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[${'1,'.repeat(120_000)}1]}]`,
  ]) {
    assert.deepEqual(await send(body), refusal);
  }
});

test('a large body is answered like a small one', async () => {
  const { send } = setUp();
  const fields = Array.from({ length: 20_000 }, (_, i) => `"é${i}":"x"`).join();
  const params = `[{"to":"${playing(10)}",${fields}},"latest"]`;
  const item = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"eth_call","params":${params}}`;
  assert.deepEqual(await send(item('1.50')), [200, '{"jsonrpc":"2.0","id":1.50,"result":"0x0a"}']);
  const [, batch] = await send(`[${item('1.0')}, ${item('"b"')},7]`);
  const invalid = error(-32600, 'invalid request: expected a request object', 'null');
  assert.equal(
    batch,
    `[{"jsonrpc":"2.0","id":1.0,"result":"0x0a"},{"jsonrpc":"2.0","id":"b","result":"0x0a"},${invalid}]`,
  );
  const cut = item('1').slice(0, -1);
  const [status, broken] = await send(cut);
  const message = `parse error: unexpected end at position ${cut.length}`;
  assert.deepEqual([status, broken], [400, error(-32700, message, 'null')]);
});

test('answers beyond the limit of a batch become errors', async () => {
  const { send } = setUp({ limits: { batchAnswerBytes: 5_000 } });
  const [, body] = await send(`[${[1, 2, 3].map((id) => call(9, `${id}`)).join()}]`);
  const answers = JSON.parse(body) as { id: number; error?: { code: number } }[];
  assert.deepEqual(
    answers.map(({ id, error: failure }) => [id, failure?.code]),
    [
      [1, undefined],
      [2, undefined],
      [3, -32003],
    ],
  );
});

test('a single answer is not limited by the limit of batches', async () => {
  const { send } = setUp({ limits: { batchAnswerBytes: 500 } });
  const [, body] = await send(call(9));
  assert.ok(body.length > 2_000);
});
