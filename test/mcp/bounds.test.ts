/** Bounds of the server over HTTP, in front of a gateway that never answers. */
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import { parseGatewayUrl } from '../../src/mcp/gateway-url.ts';
import { HttpMcpServer } from '../../src/mcp/serve-http.ts';
import { listTools } from '../../src/mcp/tools.ts';
import { limitOf } from '../../src/util/bounds.ts';
import { listenOn } from '../support/listen-on.ts';
import { waitUntil } from '../support/wait-until.ts';

const waiting = new Set<ServerResponse>();
const gateway = createServer((_, response) => {
  waiting.add(response);
  response.once('close', () => waiting.delete(response));
});
let server: HttpMcpServer;
let url: string;

before(async () => {
  const port = await listenOn(gateway, 0);
  const parsed = parseGatewayUrl(`http://127.0.0.1:${port}/devnet/v3`, []);
  server = new HttpMcpServer({
    gateway: parsed.gateway,
    tools: listTools(false),
    version: '1',
    allowsSending: false,
  });
  const address = await server.listen('127.0.0.1', 0);
  url = `http://127.0.0.1:${address.port}/mcp`;
});

after(async () => {
  await server.close();
  gateway.closeAllConnections();
  gateway.close();
});

function callBlock(key: string, signal: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    signal,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${key}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'block' } }),
  });
}

test('a key whose share is in use is refused, other keys are served, and clients that disconnect free the share', async () => {
  const left = new AbortController();
  const most = limitOf('mcp.requests');
  let refused = 0;
  const calls = Array.from({ length: most }, async () => {
    const response = await callBlock('greedy', left.signal).catch(() => undefined);
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
  const other = callBlock('other', left.signal).catch(() => undefined);
  await waitUntil(() => waiting.size === inProgress + 1);
  left.abort();
  await Promise.all([...calls, other]);
  // The requests to the gateway end with the clients that wait for them.
  await waitUntil(() => waiting.size === 0);
  const again = new AbortController();
  const call = callBlock('greedy', again.signal).catch(() => undefined);
  await waitUntil(() => waiting.size === 1);
  again.abort();
  await call;
});
