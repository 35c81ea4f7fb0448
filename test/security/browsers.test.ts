/** Requests from pages of other sites in a user's browser. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { listBuiltinNetworks } from '../../src/config/builtin-config.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { composeService } from '../../src/service/compose.ts';
import { exchange } from '../server/support.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { startNode } from '../support/served-node.ts';
import { createRequest } from './requests.ts';

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';

async function start(t: TestContext, more: Readonly<Record<string, unknown>> = {}): Promise<number> {
  const folder = makeTemporaryFolder();
  const builtin = listBuiltinNetworks();
  const { url } = await startNode(t);
  const text = JSON.stringify({
    listen: { host: '127.0.0.1', port: 0 },
    dataDir: folder.path,
    networks: { ...builtin.networks, real: { hosts: ['real.localhost'], upstreams: [url] } },
    ...more,
  });
  const config = parseConfig(text, { name: 'test', folder: folder.path, environment: {} });
  const service = await composeService(config, createLogger('silent'));
  const { port } = await service.server.listen();
  t.after(async () => {
    await service.close();
    folder.remove();
  });
  return port;
}

async function ask(port: number, headers: Record<string, string>, path?: string): Promise<number> {
  return (await exchange(port, createRequest(CALL, headers, path))).status;
}

test('the key demo admits only to built-in networks on loopback', async (t) => {
  const port = await start(t);
  assert.equal(await ask(port, { Host: 'devnet.localhost' }), 200);
  assert.equal(await ask(port, { Host: 'real.localhost' }), 401);
  const byAddress = { Host: `127.0.0.1:${port}` };
  assert.equal(await ask(port, byAddress, '/devnet/v3/demo'), 200);
  assert.equal(await ask(port, byAddress, '/real/v3/demo'), 401);
  const open = await start(t, { listen: { host: '0.0.0.0', port: 0 } });
  assert.equal(await ask(open, { Host: 'devnet.localhost' }), 401);
  assert.equal(await ask(open, byAddress, '/devnet/v3/demo'), 401);
});

test('a host name rebound to this machine selects no network, unless there is a default network', async (t) => {
  const port = await start(t);
  for (const host of [
    'evil.example',
    'evil.example:8545',
    'devnet.localhost.evil.example',
    'evil-devnet.localhost',
  ]) {
    const headers = { Host: host, Origin: `http://${host}` };
    assert.equal(await ask(port, headers), 404, host);
    assert.equal(await ask(port, headers, '/devnet/v3/demo'), 404, `${host}, with the network in the path`);
  }
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/demo`, { headers: { host: 'evil.example' } });
  const [, response] = await once(socket, 'unexpected-response');
  assert.equal(response.statusCode, 404);
  socket.on('error', () => {});
  socket.terminate();
  // The default network serves every host name, but still requires the key.
  const withDefault = await start(t, { defaultNetwork: 'real' });
  assert.equal(await ask(withDefault, { Host: 'evil.example' }), 401);
});

test('only pages of configured origins may read answers and open WebSockets', async (t) => {
  const port = await start(t, { cors: { origins: ['https://app.example'] } });
  for (const [origin, allowed] of [
    ['https://app.example', true],
    ['https://evil.example', false],
    ['https://app.example.evil.example', false],
    ['http://app.example', false],
    ['null', false],
  ] as const) {
    const answer = await exchange(port, createRequest(CALL, { Origin: origin }));
    assert.equal(answer.headers['access-control-allow-origin'], allowed ? origin : undefined, origin);
    assert.equal(answer.headers['access-control-allow-credentials'], undefined);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/demo`, {
      origin,
      headers: { host: 'devnet.localhost' },
    });
    socket.on('error', () => {});
    const outcome = await Promise.race([
      once(socket, 'open').then(() => 101),
      once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode as number),
    ]);
    assert.equal(outcome, allowed ? 101 : 403, origin);
    socket.terminate();
  }
});

test('posts with content types that browsers send without a preflight are refused', async (t) => {
  const port = await start(t);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a']) {
    assert.equal(await ask(port, { 'Content-Type': type }), 415, type);
  }
});
