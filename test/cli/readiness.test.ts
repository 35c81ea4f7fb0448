import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { makeBlock } from '../support/served-node.ts';
import { startService } from '../support/service.ts';

type Probe = { readonly status: number; readonly body: unknown };

async function probe(authority: string): Promise<Probe> {
  const response = await fetch(`http://${authority}/health/ready`);
  return { status: response.status, body: await response.json() };
}

test('a network is ready while one of its nodes is up', async (t) => {
  const answers: Readonly<Record<string, unknown>> = {
    eth_chainId: '0x1',
    eth_getBlockByNumber: makeBlock(7),
  };
  let isUp = true;
  const node = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { id, method } = JSON.parse(text) as { id: number; method: string };
    const error = { code: -32601, message: 'the method does not exist' };
    const said = method in answers ? { result: answers[method] } : { error };
    response.statusCode = isUp ? 200 : 503;
    response.end(isUp ? JSON.stringify({ jsonrpc: '2.0', id, ...said }) : 'gone');
  });
  node.listen(0, '127.0.0.1');
  await once(node, 'listening');
  t.after(() => {
    node.closeAllConnections();
    node.close();
  });
  const { port } = node.address() as AddressInfo;
  const pool = { chainId: 1, pollInterval: '20ms', blockTime: '20ms' };
  const service = await startService({
    networks: { mine: { hosts: ['mine.localhost'], upstreams: [`http://127.0.0.1:${port}`], pool } },
  });
  t.after(() => service.close());
  assert.deepEqual(await probe(service.authority), { status: 200, body: { status: 'ready' } });
  isUp = false;
  const unready = {
    status: 503,
    body: { status: 'unready', networks: ['mine'], down: { mine: 'the only node does not answer' } },
  };
  let last = await probe(service.authority);
  while (last.status === 200) last = await probe(service.authority);
  assert.deepEqual(last, unready);
  isUp = true;
  while (last.status !== 200) last = await probe(service.authority);
});
