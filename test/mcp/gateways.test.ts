/** The gateway that the tools use: one by URL, one of a configuration, one that does not answer; and the trust of its answers. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { MAIN } from '../../scripts/program-files.ts';
import { mcpCommand } from '../../src/cli/mcp.ts';
import { listBuiltinNetworks } from '../../src/config/builtin-config.ts';
import { parseGatewayUrl } from '../../src/mcp/gateway-url.ts';
import { UsageError } from '../../src/service/usage.ts';
import { placeBuiltinStores } from '../support/builtin-stores.ts';
import { addressOf, FACTS, serveByDefault } from '../support/development.ts';
import { listenOn } from '../support/listen-on.ts';
import type { RunningService } from '../support/service.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { startStdio } from './support.ts';

const ALICE = addressOf('alice');
const KEY = 'key_'.repeat(8);
const folder = makeTemporaryFolder();
let service: RunningService;

before(async () => {
  service = await serveByDefault('devnet', 'upstream');
});

after(async () => {
  await service?.close();
  folder.remove();
});

test('the trust of an answer is the lowest of its parts, as the gateway reports it', async () => {
  const tools = await startStdio(['--url', `http://${service.authority}/devnet/v3/demo`]);
  const { hash } = (await tools.read('block'))['block'] as { hash: string };
  assert.equal(hash, FACTS.devnet.headHash);
  for (const [block, param] of [
    ['latest', 'latest'],
    [hash, hash],
  ] as const) {
    const answer = await tools.read('balance', { address: ALICE, block });
    const response = await fetch(`http://${service.authority}/devnet/v3/demo`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [ALICE, param] }),
    });
    assert.equal(answer['trust'], response.headers.get('x-portcullis-trust'), block);
  }
  assert.equal((await tools.read('fees'))['trust'], 'single');
  await tools.close();
});

test('a URL with {network} serves the networks of --network, with the key of the environment', async () => {
  const tools = await startStdio(
    ['--url', `http://${service.authority}/{network}/v3`, '--network', 'devnet,rollup'],
    { PORTCULLIS_KEY: 'demo' },
  );
  const answer = await tools.read('rpc', { method: 'eth_chainId', network: 'rollup' });
  assert.equal(Number(answer['result']), FACTS.rollup.chainId);
  const { networks } = await tools.read('networks');
  assert.deepEqual(
    (networks as { chainId: number }[]).map((row) => row.chainId),
    [FACTS.devnet.chainId, FACTS.rollup.chainId],
  );
  await tools.close();
});

test('a network that does not answer is an error without the key, and hides no other network', async () => {
  const closed = createServer();
  const port = await listenOn(closed, 0);
  await new Promise((resolve) => closed.close(resolve));
  const tools = await startStdio(['--url', `http://127.0.0.1:${port}/devnet/v3/${KEY}`]);
  const refusal = await tools.fail('block');
  assert.match(refusal, /the gateway did not answer \(ECONNREFUSED\)/);
  assert.ok(!refusal.includes(KEY));
  const { networks } = await tools.read('networks');
  assert.match(JSON.stringify(networks), /did not answer/);
  await tools.close();
  const other = await startStdio([
    '--url',
    `http://${service.authority}/{network}/v3/demo`,
    '--network',
    'devnet,missing',
  ]);
  const answer = await other.read('networks');
  const [first, second] = answer['networks'] as Record<string, unknown>[];
  assert.equal(first?.['chainId'], FACTS.devnet.chainId);
  assert.match(String(second?.['error']), /network/);
  await other.close();
});

test('without options the built-in networks are served in this process, with the key demo', async () => {
  await placeBuiltinStores(folder.path, listBuiltinNetworks());
  const tools = await startStdio([], {
    PORTCULLIS_DATA_DIR: folder.path,
    PORTCULLIS_PORT: `${service.port}`,
  });
  const { networks } = await tools.read('networks');
  assert.deepEqual(
    (networks as { chainId: number }[]).map((row) => row.chainId),
    [FACTS.devnet.chainId, FACTS.rollup.chainId],
  );
  await tools.close();
});

test('--config serves the networks of a file in this process, and --allow-sending sends', async () => {
  const networks = { mine: { hosts: ['mine.localhost'], builtin: 'devnet' } };
  // The configured port is for `serve`, which may run at the same time.
  const file = join(folder.path, 'portcullis.yaml');
  writeFileSync(file, JSON.stringify({ listen: { port: service.port }, dataDir: folder.path, networks }));
  await placeBuiltinStores(folder.path, { networks });
  const tools = await startStdio(['--config', file, '--allow-sending']);
  assert.deepEqual((await tools.read('block'))['network'], 'mine');
  const { tools: listed } = await tools.client.listTools();
  const rpc = listed.find(({ name }) => name === 'rpc');
  assert.equal(rpc?.annotations?.destructiveHint, true);
  assert.match(rpc?.description ?? '', /eth_sendRawTransaction\(/);
  const refusal = await tools.fail('rpc', { method: 'eth_sendRawTransaction', params: ['0x00'] });
  assert.match(refusal, /^eth_sendRawTransaction: /);
  await tools.close();
});

test('command lines that cannot work are refused, without the key', async () => {
  const file = join(folder.path, 'nodes.yaml');
  const networks = { mainnet: { hosts: ['mainnet.localhost'], upstreams: ['http://127.0.0.1:1'] } };
  writeFileSync(file, JSON.stringify({ dataDir: folder.path, networks }));
  const gateway = 'http://127.0.0.1:1';
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--url', `ftp://127.0.0.1/v3/${KEY}`], /not one of http or https/],
    [['--url', `${gateway}/devnet/${KEY}`], /does not end with \/v3\/<key>/],
    [['--url', `${gateway}/{network}/v3/${KEY}`], /must be used together/],
    [['--url', `${gateway}/devnet/v3/${KEY}`, '--network', 'devnet'], /must be used together/],
    [['--url', `${gateway}/devnet/v3`], /there is no key: set PORTCULLIS_KEY/],
    [['--url', `${gateway}/devnet/v3/${KEY}`, '--listen', '0'], /leave the key out of --url/],
    [['--url', gateway, '--config', file], /--url or --config, not both/],
    [['--network', 'devnet'], /--network needs --url/],
    [['--listen', '0.0.0.0:0'], /takes a loopback address/],
    [['--listen', 'x'], /expected PORT or HOST:PORT/],
    [['--config', file], /the key demo does not open mainnet: run portcullis keys create/],
  ];
  for (const [args, message] of cases) {
    await assert.rejects(mcpCommand.run([...args]), (error) => {
      assert.ok(error instanceof UsageError, String(error));
      assert.match(error.message, message);
      return !error.message.includes(KEY);
    });
  }
});

test('URLs of gateways: the network in the path or the host, and other text before it', () => {
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['http://h:1/devnet/v3/k', ['devnet'], 'http://h:1/devnet/v3/KEY'],
    ['http://h:1/devnet/v3', ['devnet'], 'http://h:1/devnet/v3/KEY'],
    ['http://mainnet.localhost/v3/k', ['mainnet.localhost'], 'http://mainnet.localhost/v3/KEY'],
    ['https://h/rpc/devnet/v3/', ['devnet'], 'https://h/rpc/devnet/v3/KEY'],
  ];
  for (const [text, networks, url] of cases) {
    const { gateway } = parseGatewayUrl(text, []);
    assert.deepEqual(gateway.networks, networks);
    assert.equal(String(gateway.urlOf(String(networks[0]), 'KEY')), url);
  }
  const { gateway } = parseGatewayUrl('http://h/rpc/{network}/v3/k', ['a', 'b']);
  assert.equal(String(gateway.urlOf('b', 'KEY')), 'http://h/rpc/b/v3/KEY');
});

test('a message that is too long ends the process, which does not read on', async () => {
  // The networks of this process would keep it alive.
  await placeBuiltinStores(folder.path, listBuiltinNetworks());
  const child = spawn(process.execPath, [MAIN, 'mcp'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PORTCULLIS_DATA_DIR: folder.path },
  });
  const exited = once(child, 'exit');
  // The process does not read all of it.
  child.stdin.on('error', () => undefined);
  child.stdin.write('x'.repeat(11 * 1024 * 1024));
  assert.deepEqual(await exited, [0, null]);
});
