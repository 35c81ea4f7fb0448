/** Bounds of the server over HTTP, in front of a gateway that never answers. */
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { AcceptedKeys } from '../../src/mcp/accepted-keys.ts';
import { parseGatewayUrl } from '../../src/mcp/gateway-url.ts';
import { refusesInventedKey } from '../../src/mcp/invented-key.ts';
import { HttpMcpServer } from '../../src/mcp/serve-http.ts';
import { listTools } from '../../src/mcp/tools.ts';
import { limitOf } from '../../src/util/bounds.ts';
import { listenOn } from '../support/listen-on.ts';
import { waitUntil } from '../support/wait-until.ts';

const BLOCK = { number: '0x1', hash: `0x${'1'.repeat(64)}`, timestamp: '0x1' };
/** Keys of the gateway at `/devnet`. The gateway at `/open` accepts every key. */
const KEYS = new Set(['greedy', 'other', 'known', 'batch', 'slow', 'wide']);
/** Answers of the gateway. It never answers other methods. */
const ANSWERS: Readonly<Record<string, unknown>> = { eth_chainId: '0x1', eth_getBlockByNumber: BLOCK };

const waiting = new Set<ServerResponse>();
/** Outcomes of the checks whether a gateway refuses invented keys. */
const checks: (boolean | undefined)[] = [];
const gateway = createServer(async (request, response) => {
  const { method } = (await json(request)) as { method: string };
  const [, network, , key = ''] = (request.url ?? '').split(/[/?]/);
  if (network === 'devnet' && !KEYS.has(key)) response.statusCode = 401;
  if (method in ANSWERS) {
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: ANSWERS[method] }));
    return;
  }
  waiting.add(response);
  response.once('close', () => waiting.delete(response));
});
let server: HttpMcpServer;
let hasty: HttpMcpServer;
let open: HttpMcpServer;
let url: string;
let openUrl: string;
let hastyUrl: string;

before(async () => {
  const port = await listenOn(gateway, 0);
  const parse = (network: string) => parseGatewayUrl(`http://127.0.0.1:${port}/${network}/v3`, []).gateway;
  const parts = { gateway: parse('devnet'), tools: listTools(false), version: '1', allowsSending: false };
  const accepted = new AcceptedKeys(async () => {
    const isSelective = await refusesInventedKey(parts.gateway, new AbortController().signal);
    checks.push(isSelective);
    return isSelective;
  });
  server = new HttpMcpServer(parts, undefined, accepted);
  url = `http://127.0.0.1:${(await server.listen('127.0.0.1', 0)).port}/mcp`;
  hasty = new HttpMcpServer(parts, 100);
  open = new HttpMcpServer({ ...parts, gateway: parse('open') });
  openUrl = `http://127.0.0.1:${(await open.listen('127.0.0.1', 0)).port}/mcp`;
  hastyUrl = `http://127.0.0.1:${(await hasty.listen('127.0.0.1', 0)).port}/mcp`;
});

after(async () => {
  await server.close();
  await hasty.close();
  await open.close();
  gateway.closeAllConnections();
  gateway.close();
});

function post(key: string, body: unknown, signal: AbortSignal, target: string = url): Promise<Response> {
  return fetch(target, {
    method: 'POST',
    signal,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${key}`,
    },
    body: JSON.stringify(body),
  });
}

function toolCall(name: string, args: object): object {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
}

/** Calls a tool whose request the gateway never answers. */
const STUCK = toolCall('rpc', { method: 'eth_gasPrice' });
const PROMPT = toolCall('rpc', { method: 'eth_chainId' });

/** Sends one request with a key, which the gateway answers. Afterwards the server knows that the gateway refuses invented keys. */
async function introduce(key: string): Promise<void> {
  const response = await post(key, PROMPT, new AbortController().signal);
  assert.equal(response.status, 200);
  await response.text();
  await waitUntil(() => checks.length > 0);
}

test('a key that has its share in progress is refused, other keys are served, and clients that leave free it', async () => {
  await introduce('greedy');
  await introduce('other');
  const left = new AbortController();
  const most = limitOf('mcp.requests');
  let refused = 0;
  const calls = Array.from({ length: most }, async () => {
    const response = await post('greedy', STUCK, left.signal).catch(() => undefined);
    if (response?.status !== 503) return;
    refused++;
    assert.equal(response.headers.get('retry-after'), '1');
    assert.match(
      await response.text(),
      /too many requests to the MCP server in progress \(bound: mcp\.requests\)/,
    );
  });
  await waitUntil(() => refused + waiting.size === most);
  assert.ok(waiting.size > 0 && refused > most / 2, `${waiting.size} in progress, ${refused} refused`);
  const inProgress = waiting.size;
  const other = post('other', STUCK, left.signal).catch(() => undefined);
  await waitUntil(() => waiting.size === inProgress + 1);
  left.abort();
  await Promise.all([...calls, other]);
  // The requests to the gateway end with the clients that wait for them.
  await waitUntil(() => waiting.size === 0);
  const again = new AbortController();
  const call = post('greedy', STUCK, again.signal).catch(() => undefined);
  await waitUntil(() => waiting.size === 1);
  again.abort();
  await call;
});

test('keys that a gateway which accepts every key has accepted have one share together', async () => {
  const left = new AbortController();
  const most = limitOf('mcp.requests');
  let refused = 0;
  const calls = Array.from({ length: most }, async (_, i) => {
    const key = `any_${i}`;
    await (await post(key, PROMPT, left.signal, openUrl)).text();
    const response = await post(key, STUCK, left.signal, openUrl).catch(() => undefined);
    if (response?.status === 503) refused++;
  });
  await waitUntil(() => refused + waiting.size === most);
  assert.ok(waiting.size > 0 && refused > most / 2, `${waiting.size} in progress, ${refused} refused`);
  left.abort();
  await Promise.all(calls);
  await waitUntil(() => waiting.size === 0);
});

test('keys that the gateway has not accepted have one share together', async () => {
  await introduce('known');
  const left = new AbortController();
  const most = limitOf('mcp.requests');
  let refused = 0;
  const calls = Array.from({ length: most }, async (_, i) => {
    const key = `invented_${i}`;
    await (await post(key, PROMPT, left.signal)).text().catch(() => undefined);
    const response = await post(key, STUCK, left.signal).catch(() => undefined);
    if (response?.status === 503) refused++;
  });
  await waitUntil(() => refused + waiting.size === most);
  const inProgress = waiting.size;
  assert.ok(inProgress > 0 && refused > most / 2, `${inProgress} in progress, ${refused} refused`);
  const known = post('known', STUCK, left.signal).catch(() => undefined);
  await waitUntil(() => waiting.size === inProgress + 1);
  left.abort();
  await Promise.all([...calls, known]);
  await waitUntil(() => waiting.size === 0);
});

test('batches are refused, because one that cancels its own calls has no answer', async () => {
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  const response = await post('batch', [STUCK, cancel], new AbortController().signal);
  assert.equal(response.status, 400);
  assert.match(await response.text(), /not a batch/);
});

test('a connection whose answer takes too long is closed, and its requests to the gateway end', async () => {
  const { signal } = new AbortController();
  const calls = Array.from({ length: 4 }, () => post('slow', STUCK, signal, hastyUrl));
  await Promise.all(calls.map((call) => assert.rejects(call)));
  await waitUntil(() => waiting.size === 0);
});

test('one tool call has at most 8 requests to the gateway in progress', async () => {
  const { signal } = new AbortController();
  const tokens = Array.from({ length: 20 }, (_, i) => `0x${String(i).padStart(40, '0')}`);
  let isDone = false;
  const call = post('wide', toolCall('balance', { address: tokens[0], tokens }), signal).then(
    async (response) => {
      isDone = true;
      return response.text();
    },
  );
  let most = 0;
  let answered = 0;
  await waitUntil(() => waiting.size === 8);
  while (!isDone) {
    await waitUntil(() => isDone || waiting.size > 0);
    most = Math.max(most, waiting.size);
    const [next] = waiting;
    if (next === undefined) continue;
    waiting.delete(next);
    next.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${'1'.padStart(64, '0')}` }));
    answered++;
  }
  assert.match(await call, /"units\\":\\"1\\"/);
  // The balance and the nonce, and three calls for each token.
  assert.deepEqual([most, answered], [8, 62]);
});
