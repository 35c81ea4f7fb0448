import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { encodeBlock } from '../../packages/ethereum/codecs/block.ts';
import { MAIN } from '../../scripts/program-files.ts';
import { ChainBuilder } from '../support/chain-builder.ts';

const GENESIS = {
  config: { chainId: 4242 },
  difficulty: '0x1',
  gasLimit: '0x1c9c380',
  nonce: '0x0',
  timestamp: '0x0',
  extraData: '0x',
  alloc: {},
};
const CONFIG = `
listen: { port: 0 }
networks:
  mine: { hosts: [mine.localhost], embedded: { data: chain } }
`;

/** Sends a JSON-RPC request to the network `mine`. @returns status and body */
function post(port: number, key: string, body: string): Promise<readonly [number, string]> {
  return new Promise((resolve, reject) => {
    const headers = { Host: 'mine.localhost', 'Content-Type': 'application/json' };
    const sent = request(
      { host: '127.0.0.1', port, path: `/v3/${key}`, method: 'POST', headers },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve([response.statusCode ?? 0, text]));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

test('serve answers for an imported chain with a created key, refuses the key once revoked, and exits with 0 on SIGTERM', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const run = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    return stdout.trim();
  };
  writeFileSync(join(folder, 'genesis.json'), JSON.stringify(GENESIS));
  const { genesisBlock } = new ChainBuilder(JSON.stringify(GENESIS));
  writeFileSync(join(folder, 'blocks.rlp'), encodeBlock(genesisBlock));
  writeFileSync(join(folder, 'p.yaml'), CONFIG);
  run('import', '--genesis', 'genesis.json', '--blocks', 'blocks.rlp', '--data', 'chain');
  const key = run('keys', 'create', '--name', 'tester', '--config', 'p.yaml');

  const child = spawn(process.execPath, [MAIN, 'serve', '--config', 'p.yaml'], { cwd: folder });
  t.after(() => child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const exited = once(child, 'exit');
  while (!/listens on \S+:\d+\n/.test(out)) {
    assert.equal(child.exitCode, null, err);
    await Promise.race([once(child.stdout, 'data'), exited]);
  }
  const port = Number(/listens on \S+:(\d+)\n/.exec(out)?.[1]);

  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';
  assert.deepEqual(await post(port, key, body), [200, '{"jsonrpc":"2.0","id":1,"result":"0x1092"}']);
  assert.equal((await post(port, 'demo', body))[0], 401);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${key}`, {
    headers: { host: 'mine.localhost' },
  });
  await once(socket, 'open');
  const closed = once(socket, 'close');
  socket.send(body);
  assert.equal(String((await once(socket, 'message'))[0]), '{"jsonrpc":"2.0","id":1,"result":"0x1092"}');
  const id = run('keys', 'list', '--config', 'p.yaml').split('\n')[1]?.split(' ')[0] ?? '';
  run('keys', 'revoke', id, '--config', 'p.yaml');
  while ((await post(port, key, body))[0] !== 401) await new Promise((resolve) => setTimeout(resolve, 50));
  socket.send(body);
  assert.equal((await closed)[0], 1008);

  child.kill('SIGTERM');
  assert.deepEqual(await exited, [0, null]);
  assert.ok(!`${out}${err}`.includes(key));
});

test('with pool.chainId a network is served while all of its nodes are down, and its errors report that', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const config = join(folder, 'portcullis.yaml');
  writeFileSync(
    config,
    `
listen: { port: 0 }
networks:
  mine: { hosts: [mine.localhost], upstreams: ["http://127.0.0.1:1", "ws://127.0.0.1:1"], pool: { chainId: 7 } }
`,
  );
  const create = [MAIN, 'keys', 'create', '--name', 'app', '--config', config];
  const key = spawnSync(process.execPath, create, { encoding: 'utf8' }).stdout.trim();
  const child = spawn(process.execPath, [MAIN, 'serve', '--config', config], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(/listens on 127\.0\.0\.1:(\d+)/.exec(String(output))?.[1]);
  const ask = (method: string): Promise<readonly [number, string]> =>
    post(port, key, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }));
  assert.deepEqual(await ask('eth_chainId'), [200, '{"jsonrpc":"2.0","id":1,"result":"0x7"}']);
  const [status, body] = await ask('eth_blockNumber');
  assert.equal(status, 200);
  assert.match(body, /"code":-32603,"message":"no node could answer: 2 nodes do not answer"/);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
});

test('the command of the banner creates a key that opens the service, wherever its data folder is', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const config = join(folder, 'portcullis.yaml');
  writeFileSync(
    config,
    'listen: { port: 0 }\nnetworks: { mine: { upstreams: ["http://127.0.0.1:1"], pool: { chainId: 7 } } }\n',
  );
  const { PORTCULLIS_DATA_DIR: _, ...environment } = process.env;
  const child = spawn(process.execPath, [MAIN, 'serve', '--config', config], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...environment, PORTCULLIS_DATA_DIR: join(folder, 'the data') },
  });
  t.after(() => child.kill('SIGKILL'));
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(/listens on 127\.0\.0\.1:(\d+)/.exec(String(output))?.[1]);
  const [, variables = '', words] =
    /Key: +((?:\w+=\S* ?\S*' )?).*?(keys create .*)\n/.exec(String(output)) ?? [];
  const command = `${variables}'${process.execPath}' '${MAIN}' ${words}`;
  const created = spawnSync('sh', ['-c', command], { encoding: 'utf8', env: environment, cwd: tmpdir() });
  assert.equal(created.status, 0, `${command}: ${created.stderr}`);
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';
  assert.equal((await post(port, created.stdout.trim(), body))[0], 200);
  child.kill('SIGTERM');
  await once(child, 'exit');
});
