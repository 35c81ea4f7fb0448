/** Every example of the documentation equals the answer of the built-in networks; the program in the README prints what it says. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { ROOT } from '../../scripts/program-files.ts';
import { buildCurlLines } from '../../src/cli/curl-lines.ts';
import { listBuiltinNetworks } from '../../src/config/builtin-config.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { ethSubscribe } from '../../src/methods/eth_subscribe.ts';
import { ethUnsubscribe } from '../../src/methods/eth_unsubscribe.ts';
import { METHODS } from '../../src/methods/table.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { composeService } from '../../src/service/compose.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { FakeFeed } from '../support/fake-feed.ts';
import { type RunningService, startService } from '../support/service.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const METHODS_PAGE = readFileSync(join(ROOT, 'docs/methods.md'), 'utf8');
const folder = makeTemporaryFolder();
let service: RunningService;

before(async () => {
  service = await startService({ dataDir: folder.path, ...listBuiltinNetworks() });
});

after(async () => {
  await service.close();
  folder.remove();
});

/** Sends a request with any Host header, which `fetch` sets itself. */
function post(host: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: service.port,
        path: '/v3/demo',
        method: 'POST',
        headers: { host, 'content-type': 'application/json' },
      },
      async (response) => resolve(Buffer.concat(await response.toArray()).toString('utf8')),
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Methods of filters, whose ids are random. */
const IS_OF_FILTERS = /Filter(Changes|Logs)?$/;
/** Methods for connections that can receive notifications; the service chooses the ids. */
const OVER_WEBSOCKET: ReadonlySet<string> = new Set([ethSubscribe.name, ethUnsubscribe.name]);

test('the examples of subscriptions match over a WebSocket', async (t) => {
  const data = makeTemporaryFolder();
  const text = JSON.stringify({
    listen: { port: 0 },
    admin: false,
    dataDir: data.path,
    ...listBuiltinNetworks(),
  });
  const config = parseConfig(text, { name: 'test', folder: data.path, environment: {} });
  const other = await composeService(config, createLogger('silent'), { openFeed: () => new FakeFeed() });
  t.after(async () => {
    await other.close();
    data.remove();
  });
  const { port } = await other.server.listen();
  const ws = new WebSocket(`ws://127.0.0.1:${port}/devnet/ws/v3/demo`);
  await once(ws, 'open');
  const call = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    ws.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    const [answer] = await once(ws, 'message');
    return JSON.parse(String(answer)).result;
  };
  const id = await call('eth_subscribe', ethSubscribe.example.params);
  assert.match(String(id), /^0x[0-9a-f]{32}$/);
  assert.equal(String(id).length, String(ethSubscribe.example.result).length);
  assert.deepEqual(ethUnsubscribe.example.params, [ethSubscribe.example.result]);
  assert.equal(await call('eth_unsubscribe', [id]), ethUnsubscribe.example.result);
  ws.terminate();
});

for (const { name, example, sends = false } of METHODS) {
  if (OVER_WEBSOCKET.has(name) || IS_OF_FILTERS.test(name)) continue;
  test(`the example of ${name} matches`, async () => {
    const host = /^(l2|rollup)_/.test(name) ? 'rollup.localhost' : 'devnet.localhost';
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: example.params });
    const answer = JSON.parse(await post(host, body)) as { readonly error?: { readonly code: number } };
    // The built-in networks make no blocks.
    if (sends) assert.equal(answer.error?.code, -32004);
    else assert.deepEqual(answer, { jsonrpc: '2.0', id: 1, result: example.result });
  });
}

test('docs/methods.md contains the curl commands that `portcullis examples` prints', () => {
  const lines = buildCurlLines({ host: '127.0.0.1', port: 8545 });
  assert.equal(lines.length, 7);
  for (const line of lines) assert.ok(METHODS_PAGE.includes(`\n${line}\n`), line);
});

test('the program for viem in the README prints the documented balance', async () => {
  const [, program = ''] = /```js\n([\s\S]*?)```/.exec(README) ?? [];
  const [, balance = ''] = /; \/\/ (\d+n)\n/.exec(program) ?? [];
  const file = join(folder.path, 'balance.mjs');
  writeFileSync(file, program.replace('127.0.0.1:8545', service.authority));
  mkdirSync(join(folder.path, 'node_modules'));
  symlinkSync(join(ROOT, 'node_modules/viem'), join(folder.path, 'node_modules/viem'));
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  assert.equal(stdout, `${balance}\n`);
});
