/** The library's entry point: a gateway in the process of its caller. */
import assert from 'node:assert/strict';
import { constants } from 'node:buffer';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { JsonBytes, type SharedBytes } from '../../packages/ethereum/primitives/json-result.ts';
import { ROOT } from '../../scripts/program-files.ts';
import { createGateway, type EmbeddedGateway, type GatewayInput } from '../../src/embedding/index.ts';
import { InProcessProvider } from '../../src/embedding/provider.ts';
import type { Session } from '../../src/gateway/admission.ts';
import { limitOf } from '../../src/util/bounds.ts';
import { MAX_GENESIS_BYTES } from '../../src/util/read-file.ts';
import { postText } from '../support/ask-program.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const CHAIN = join(ROOT, 'chains/devnet');
const folder = makeTemporaryFolder();
let gateway: EmbeddedGateway;
before(async () => {
  gateway = await createGateway({ dataDir: folder.path });
});
after(async () => {
  await gateway.close();
  folder.remove();
});

const numberOf = (of: EmbeddedGateway, network?: string): Promise<unknown> =>
  of.provider(network).request({ method: 'eth_blockNumber' });

test('without an input, the development networks are served, in the order of their configuration', async () => {
  assert.deepEqual(gateway.networks, ['devnet', 'rollup']);
  assert.match(String(await numberOf(gateway)), /^0x[1-9a-f]/);
  const info = await gateway.provider('rollup').request({ method: 'rollup_getInfo', params: [] });
  assert.equal(typeof info, 'object');
  assert.throws(() => gateway.provider('nowhere'), new RangeError('there is no network "nowhere"'));
});

test('an error response rejects with its code and its data', async () => {
  const provider = gateway.provider();
  await assert.rejects(provider.request({ method: 'eth_nothing' }), (error: Error & { code: number }) => {
    assert.equal(error.code, -32601);
    assert.match(error.message, /eth_nothing/);
    return true;
  });
  await assert.rejects(
    provider.request({ method: 'eth_getBalance', params: [1n] }),
    /parameters are not JSON/,
  );
});

test('an answer in pieces arrives complete, and one that breaks off rejects', async () => {
  const encode = new TextEncoder();
  async function* send(isBroken: boolean): AsyncGenerator<Uint8Array> {
    yield encode.encode('{"jsonrpc":"2.0","id":1,"result":["0x1",');
    if (isBroken) throw new Error('the node broke off');
    yield encode.encode('"0x2"]}');
  }
  for (const isBroken of [false, true]) {
    const body = { pieces: send(isBroken), cancel: () => {} };
    const provider = new InProcessProvider({
      gateway: { handle: async () => ({ status: 200, body }) },
      session: {} as Session,
      timeoutMs: 60_000,
    });
    const answered = provider.request({ method: 'eth_getLogs' });
    if (isBroken) await assert.rejects(answered, /broke off/);
    else assert.deepEqual(await answered, ['0x1', '0x2']);
  }
});

test('an answer that no string can hold is refused by the name of the bound, in pieces and as bytes', async () => {
  const piece = new Uint8Array(64 * 1024 * 1024).fill(0x20);
  async function* send(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 8; i++) yield piece;
  }
  // A value whose length is the only thing that is read: 512 MiB of memory would slow the other tests.
  const bytes = new JsonBytes({ bytes: { length: constants.MAX_STRING_LENGTH + 1 } } as SharedBytes);
  for (const body of [{ pieces: send(), cancel: () => {} }, bytes]) {
    const provider = new InProcessProvider({
      gateway: { handle: async () => ({ status: 200, body }) },
      session: {} as Session,
      timeoutMs: 60_000,
    });
    await assert.rejects(provider.request({ method: 'eth_getLogs' }), {
      code: -32602,
      message: /bound: provider\.answerBytes/,
    });
  }
  for (const bound of [limitOf('provider.answerBytes'), MAX_GENESIS_BYTES])
    assert.ok(bound < constants.MAX_STRING_LENGTH);
});

test('a subscription delivers its events after its id, in order, and ends', async () => {
  const provider = gateway.provider();
  const events: { readonly subscription: string; readonly result: unknown }[] = [];
  let id: unknown;
  const arrived = new Promise<void>((resolve) => {
    provider.on('message', ({ data }) => {
      assert.equal(data.subscription, id);
      events.push(data);
      if (events.length === 3) resolve();
    });
  });
  const head = BigInt(String(await numberOf(gateway)));
  const fromBlock = `0x${(head - 2n).toString(16)}`;
  id = await provider.request({ method: 'eth_subscribe', params: ['newHeads', { fromBlock }] });
  await arrived;
  assert.deepEqual(
    events.map(({ result }) => BigInt((result as { number: string }).number)),
    [head - 2n, head - 1n, head],
  );
  assert.equal(await provider.request({ method: 'eth_unsubscribe', params: [id] }), true);
  await assert.rejects(
    provider.request({ method: 'eth_unsubscribe', params: [id] }),
    /subscription not found/,
  );
});

test('listen serves HTTP with the key demo, and a second gateway reads from it as a node', async () => {
  const address = await gateway.listen();
  assert.equal(address.url('rollup'), `http://127.0.0.1:${address.port}/rollup/v3/demo`);
  assert.equal(address.webSocketUrl(), `ws://127.0.0.1:${address.port}/devnet/ws/v3/demo`);
  const second = await createGateway({ nodes: [address.url()], log: 'error' });
  try {
    assert.deepEqual(second.networks, ['main']);
    assert.equal(await numberOf(second), await numberOf(gateway));
    const over = await second.listen();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' });
    const { body: answer } = await postText(over.port, body);
    assert.deepEqual(answer, { jsonrpc: '2.0', id: 1, result: await numberOf(gateway) });
  } finally {
    await second.close();
  }
});

test('a chain of objects and bytes is executed, and its temporary folder is removed', async (t) => {
  const temporary = makeTemporaryFolder();
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = temporary.path;
  t.after(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
    temporary.remove();
  });
  const chain = {
    genesis: JSON.parse(readFileSync(join(CHAIN, 'genesis.json'), 'utf8')) as object,
    blocks: gunzipSync(readFileSync(join(CHAIN, 'blocks.rlp.gz'))),
  };
  const calls: string[] = [];
  const interceptors = [{ before: ({ method }: { readonly method: string }) => void calls.push(method) }];
  const executed = await createGateway({ chain, interceptors });
  try {
    assert.equal(await numberOf(executed), await numberOf(gateway));
    assert.deepEqual(calls, ['eth_blockNumber']);
    assert.equal(readdirSync(temporary.path).length, 1);
  } finally {
    await executed.close();
  }
  assert.deepEqual(readdirSync(temporary.path), []);
});

test('a development chain has the accounts of its input, and needs no blocks', async () => {
  const account = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
  const genesis = JSON.parse(readFileSync(join(CHAIN, 'genesis.json'), 'utf8')) as object;
  for (const [chain, chainId, balance] of [
    [{ accounts: [account] }, 1_337n, 10_000n * 10n ** 18n],
    [{ genesis }, 7_337n, 0n],
  ] as const) {
    const development = await createGateway({ chain });
    try {
      const provider = development.provider();
      const read = async (method: string, ...params: readonly unknown[]): Promise<bigint> =>
        BigInt((await provider.request({ method, params })) as string);
      assert.equal(await read('eth_chainId'), chainId);
      assert.equal(await read('eth_blockNumber'), 0n);
      assert.equal(await read('eth_getBalance', account, 'latest'), balance);
    } finally {
      await development.close();
    }
  }
  await assert.rejects(createGateway({ chain: { accounts: ['0x1'] } }), /`chain.accounts` has "0x1"/);
});

test('close ends subscriptions and refuses further requests, whatever a listener throws', async (t) => {
  const closed = await createGateway({ dataDir: folder.path });
  const provider = closed.provider();
  const thrown: unknown[] = [];
  const { mock } = t;
  mock.method(globalThis, 'queueMicrotask', (work: () => void) => {
    try {
      work();
    } catch (error) {
      thrown.push(error);
    }
  });
  const fault = new Error('a fault of the listener');
  provider.on('disconnect', () => {
    throw fault;
  });
  const disconnected = new Promise<Error & { code: number }>((resolve) => provider.on('disconnect', resolve));
  await provider.request({ method: 'eth_subscribe', params: ['newHeads'] });
  await Promise.all([closed.close(), closed.close()]);
  assert.equal((await disconnected).code, 4900);
  assert.deepEqual(thrown, [fault]);
  await assert.rejects(provider.request({ method: 'eth_chainId' }), { code: 4900 });
});

test('an invalid input is refused with the reason', async () => {
  const nodes = ['http://127.0.0.1:1'];
  for (const [input, reason] of [
    [{ nodes, config: {} }, /takes one of `nodes`, `chain` and `config`, and got `nodes` and `config`/],
    [{ nodes: ['ftp://127.0.0.1'] }, /^ConfigError: createGateway: nodes\[0\]: /],
    [{ nodes: [] }, /^ConfigError: createGateway: nodes: must not be empty$/],
    [{ port: 70_000 }, /^ConfigError: createGateway: port: /],
    [{ log: 'loud' } as never, /^ConfigError: createGateway: log: /],
    [
      { config: { networks: { one: { upstreams: [] } } } },
      /createGateway: config\.networks\.one\.upstreams: /,
    ],
    [{ config: { log: { level: 'loud' } } }, /createGateway: config\.log\.level: /],
    [{ nodez: nodes } as never, /^TypeError: createGateway has no option "nodez", did you mean nodes\?$/],
    [
      { chain: { genesiss: 'g', blocks: 'b' } } as never,
      /no option "chain\.genesiss", did you mean genesis\?/,
    ],
    [{ nodes: 'http://127.0.0.1:1' } as never, /^TypeError: createGateway: nodes: expected a list of URLs$/],
    [{ interceptors: [{ befor: () => undefined }] } as never, /interceptors\[0\]: expected an object with/],
    [{ chain: { genesis: 'g', blocks: 5 } } as never, /chain\.blocks: expected the path/],
    [{ config: { networks: { one: { builtin: 'devnt' } } } }, /devnet/],
    [{ chain: { genesis: {}, blocks: new Uint8Array() } }, /^Error: chain\.genesis: /],
    [{ chain: { genesis: '/nowhere/genesis.json', blocks: '' } }, /genesis\.json/],
  ] as const satisfies readonly (readonly [GatewayInput, RegExp])[])
    await assert.rejects(createGateway(input), reason);
});

test('another program at the URL of a node is named with its HTTP status', async (t) => {
  const other = createServer((_request, response) => response.writeHead(404).end('not here'));
  t.after(() => other.close());
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as AddressInfo;
  const mistaken = await createGateway({ nodes: [`http://127.0.0.1:${port}`], log: 'silent' });
  try {
    await assert.rejects(
      numberOf(mistaken),
      /: the only node does not report a chain id: it answered with HTTP status 404; check that the URL is the JSON-RPC URL of a node$/,
    );
  } finally {
    await mistaken.close();
  }
});

test('a port in use is reported with the option that chooses another', async (t) => {
  const other = createServer();
  t.after(() => other.close());
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as AddressInfo;
  const late = await createGateway({ nodes: ['http://127.0.0.1:1'], log: 'silent', port });
  await assert.rejects(late.listen(), /is in use; choose another port with the option `port`$/);
  await late.close();
});
