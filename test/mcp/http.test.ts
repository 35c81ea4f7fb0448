/** Streamable HTTP in front of a gateway in another process: each caller's key and limits hold, and pages of other sites are refused. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { listTools } from '../../src/mcp/tools.ts';
import { DEVNET } from '../support/ask-program.ts';
import { addressOf, FACTS } from '../support/development.ts';
import { Program } from '../support/program.ts';
import { connectHttp, type McpProcess, startHttp, type ToolClient } from './support.ts';

const { devnet } = FACTS;
const ALICE = addressOf('alice');
/** Arguments with which each tool succeeds. */
const ARGUMENTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  networks: {},
  block: { block: devnet.uncleBlock },
  transaction: {},
  balance: { address: ALICE, tokens: [devnet.erc20] },
  contract: { address: devnet.erc20 },
  call: { to: devnet.erc20, signature: 'symbol()(string)' },
  logs: { fromBlock: devnet.headNumber - 5 },
  simulate: { calls: [{ to: devnet.erc20, signature: 'symbol()(string)' }] },
  prove: { address: ALICE },
  explain_revert: { ...devnet.calls.revert },
  fees: {},
  rpc: { method: 'eth_chainId' },
};

// A busy machine may need more than the default of 5 s for a call.
const gateway = new Program({ networks: { devnet: { ...DEVNET.devnet, callTimeout: '60s' } } });
let server: McpProcess;

before(async () => {
  await gateway.start();
  const url = `http://127.0.0.1:${gateway.port}/{network}/v3`;
  server = await startHttp(['--url', url, '--network', 'devnet']);
});

after(async () => {
  assert.equal(await server?.stop(), 0);
  assert.equal(server.stderr(), '');
  await gateway.dispose();
});

const connect = (key: string): Promise<ToolClient> =>
  connectHttp(server.url, { Authorization: `Bearer ${key}` });

test('every tool answers a client with a key', async () => {
  const { key } = await gateway.createKey();
  const tools = await connect(key);
  const hash = await findTransaction();
  for (const { name } of listTools(false)) {
    const { text, isError } = await tools.call(name, name === 'transaction' ? { hash } : ARGUMENTS[name]);
    assert.ok(!isError && !text.includes(key), `${name}: ${text}`);
  }
  assert.equal((await tools.read('call', ARGUMENTS['call']))['result'], 'PORT');
  await tools.close();
});

test('a tool requests only the methods that it lists', async () => {
  const hash = await findTransaction();
  for (const { name, methods } of listTools(false)) {
    if (methods.includes('*')) continue;
    const { key } = await gateway.createKey({ methods });
    const tools = await connect(key);
    await tools.read(name, name === 'transaction' ? { hash } : ARGUMENTS[name]);
    await tools.close();
  }
});

async function findTransaction(): Promise<string> {
  const tools = await connect('demo');
  const { transactions } = await tools.read('block', { block: devnet.everyTypeBlock });
  await tools.close();
  return String((transactions as string[])[0]);
}

test('permissions, rates and credits of a key are refusals that a model reads', async () => {
  const { key } = await gateway.createKey({ methods: ['eth_getBlockByNumber'] });
  const limited = await connect(key);
  await limited.read('block');
  assert.match(
    await limited.fail('call', ARGUMENTS['call']),
    /^eth_call: .*the settings of the key do not allow this request \(code -32002\)$/,
  );
  await limited.close();

  const { key: rated } = await gateway.createKey({ rate: { perSecond: 1, burst: 1 } });
  const fast = await connect(rated);
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => fast.call('block')));
  const refused = outcomes.filter(({ isError }) => isError);
  assert.ok(refused.length >= 3, JSON.stringify(outcomes));
  assert.match(refused[0]?.text ?? '', /bound: key\.rate/);
  await fast.close();

  const { key: poor } = await gateway.createKey({ dailyCredits: 1 });
  const broke = await connect(poor);
  assert.match(await broke.fail('block'), /credits/);
  await broke.close();
});

test('an unknown key is refused by the gateway, and is not in the error', async () => {
  const key = 'k'.repeat(32);
  const tools = await connect(key);
  const refusal = await tools.fail('block');
  assert.match(refusal, /the gateway does not accept the key/);
  assert.ok(!refusal.includes(key));
  await tools.close();
});

type Reply = { readonly status: number; readonly body: string };

/** Sends a request with any headers, as fetch cannot. */
function send(
  headers: Readonly<Record<string, string>>,
  { method = 'POST', path = '/mcp', body = LIST } = {},
): Promise<Reply> {
  const target = new URL(path, server.url);
  return new Promise((resolve, reject) => {
    const outgoing = request(target, { method, agent: false, headers: { ...HEADERS, ...headers } });
    outgoing.once('response', async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      resolve({ status: response.statusCode ?? 0, body: text });
    });
    outgoing.once('error', reject);
    outgoing.end(method === 'GET' ? undefined : body);
  });
}

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
const HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  Authorization: 'Bearer demo',
};

test('requests of other sites, requests without a key and requests of another form are refused', async () => {
  assert.equal((await send({})).status, 200);
  assert.equal((await send({ Origin: 'http://localhost:3000' })).status, 200);
  for (const Origin of ['https://example.org', 'null', 'http://localhost.example.org', 'file://localhost'])
    assert.equal((await send({ Origin })).status, 403, Origin);
  for (const Host of ['example.org', '127.0.0.1.example.org:80'])
    assert.equal((await send({ Host })).status, 403, Host);
  for (const Authorization of [
    '',
    'Bearer ',
    'Basic demo',
    'Bearer ../../admin',
    `Bearer ${'k'.repeat(257)}`,
  ])
    assert.equal((await send({ Authorization })).status, 401, Authorization);
  assert.equal((await send({}, { path: '/' })).status, 404);
  assert.equal((await send({}, { method: 'GET' })).status, 405);
  assert.equal((await send({}, { method: 'DELETE' })).status, 405);
  const text = ' '.repeat(1024 * 1024 + 1);
  assert.equal((await send({}, { body: LIST + text })).status, 413);
  assert.equal((await send({}, { body: '{' })).status, 400);
});
