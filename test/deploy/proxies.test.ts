import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import type { Server } from '../../src/server/lifecycle.ts';
import {
  createFakeGateway,
  encodeHead,
  encodeRequest,
  exchange,
  HOST,
  KEY,
  RawClient,
  startServer,
} from '../server/support.ts';
import { findProgram } from './find-program.ts';

type Backend = { readonly server: Server; readonly port: number };
type Running = { readonly port: number; readonly backends: readonly Backend[]; readonly addresses: string[] };
type Proxy = { readonly port: number; readonly folder: string };

/** Finds a port that nothing listens on. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function waitForPort(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    assert.equal(child.exitCode, null, 'the proxy has ended');
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The configurations of the proxies in `deploy`, with ports and check intervals replaced. */
const PROXIES = {
  haproxy(folder: string, port: number, backends: readonly number[]): readonly string[] {
    const servers = backends.map((backend, i) => `  server s${i} 127.0.0.1:${backend} check`).join('\n');
    const text = readFileSync('deploy/haproxy/haproxy.cfg', 'utf8')
      .replace('bind :8545', `bind 127.0.0.1:${port}`)
      .replace(/^ {2}server-template .*$/m, servers)
      // By default a check may take as long as the interval: on a busy machine 50 ms are not enough.
      .replace('timeout connect 2s', 'timeout connect 2s\n  timeout check 5s')
      .replace('inter 2s', 'inter 50ms');
    writeFileSync(join(folder, 'proxy.cfg'), text);
    return ['-db', '-f', join(folder, 'proxy.cfg')];
  },
  nginx(folder: string, port: number, backends: readonly number[]): readonly string[] {
    const text = readFileSync('deploy/nginx/portcullis.conf', 'utf8')
      .replace('listen 8080', `listen 127.0.0.1:${port}`)
      .replace('127.0.0.1:8545', `127.0.0.1:${backends[0]}`)
      .replace('127.0.0.1:8546', `127.0.0.1:${backends[1]}`)
      .replace('/var/log/nginx', folder);
    const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ');
    const main = `daemon off; master_process off; pid ${folder}/pid; error_log stderr crit; events {}`;
    writeFileSync(join(folder, 'proxy.cfg'), `${main} http { access_log off; ${temporary} ${text} }`);
    return ['-p', folder, '-c', join(folder, 'proxy.cfg')];
  },
} as const;

/** Starts a proxy in front of the ports; undefined, and a skipped test, if the proxy is not installed. */
async function startProxy(
  t: TestContext,
  name: keyof typeof PROXIES,
  backends: readonly number[],
): Promise<Proxy | undefined> {
  const program = findProgram(name);
  if (program === undefined) {
    t.skip(`${name} is not installed`);
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-proxy-'));
  const port = await findPort();
  const child = spawn(program, PROXIES[name](folder, port, backends), { stdio: 'ignore' });
  t.after(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true });
  });
  await waitForPort(port, child);
  return { port, folder };
}

async function start(t: TestContext, name: keyof typeof PROXIES): Promise<Running | undefined> {
  const addresses: string[] = [];
  const gateway = createFakeGateway((text) => ({ status: 200, body: text }));
  const backends = [];
  for (let i = 0; i < 2; i++) {
    const backend = await startServer(t, {
      listen: { trustedProxies: ['loopback'] },
      limits: { drainDelay: 1_000, drainTimeout: 5_000 },
      gateway: {
        ...gateway,
        admit: (visitor) => {
          addresses.push(visitor.address);
          return gateway.admit(visitor);
        },
      },
    });
    backends.push(backend);
  }
  const proxy = await startProxy(
    t,
    name,
    backends.map((backend) => backend.port),
  );
  if (proxy === undefined) return undefined;
  const { port } = proxy;
  // HAProxy forwards nothing before the first checks.
  while ((await exchange(port, encodeRequest('1'))).status !== 200);
  addresses.length = 0;
  return { port, backends, addresses };
}

/** Starts a backend that is ready, and breaks each connection on which it has received a POST. Returns its port. */
async function startBreakingBackend(t: TestContext, onPost: () => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      if (bytes.includes('GET /health/ready')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      if (!bytes.includes('POST ')) return;
      onPost();
      socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

for (const name of ['haproxy', 'nginx'] as const) {
  test(`${name} forwards requests and WebSockets with the client's address`, async (t) => {
    const running = await start(t, name);
    if (running === undefined) return;
    const { port, addresses } = running;
    const client = new RawClient(port);
    const forwarded = { 'X-Forwarded-For': '203.0.113.7' };
    for (let i = 0; i < 3; i++) {
      assert.equal((await client.send(encodeRequest('"x"', forwarded)).read())?.body.toString(), '"x"');
    }
    client.close();
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${KEY}`, {
      headers: { Host: HOST, ...forwarded },
    });
    await once(socket, 'open');
    socket.send('"ws"');
    assert.equal(String((await once(socket, 'message'))[0]), '"ws"');
    socket.close();
    // All programs here are on loopback and therefore trusted, so the client's own address header remains.
    assert.ok(addresses.length >= 4);
    assert.deepEqual([...new Set(addresses)], ['203.0.113.7']);
    assert.equal((await exchange(port, encodeHead('GET', '/health/ready', { Host: HOST }))).status, 404);
  });

  test(`no request through ${name} fails while one of two backends stops`, async (t) => {
    const running = await start(t, name);
    if (running === undefined) return;
    const { port, backends } = running;
    let [isOver, answered] = [false, 0];
    const ask = async (): Promise<void> => {
      const client = new RawClient(port);
      while (!isOver) {
        const answer = await client.send(encodeRequest('1')).read();
        assert.equal(answer?.status, 200);
        answered++;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      client.close();
    };
    const requesting = Promise.all(Array.from({ length: 8 }, ask));
    await Promise.race([requesting, backends[0]?.server.close()]);
    const before = answered;
    while (answered < before + 50)
      await Promise.race([requesting, new Promise((resolve) => setTimeout(resolve, 5))]);
    isOver = true;
    await requesting;
  });

  test(`${name} sends no request to a second backend after the first has received it`, async (t) => {
    let received = 0;
    const ports = [
      await startBreakingBackend(t, () => received++),
      await startBreakingBackend(t, () => received++),
    ];
    const proxy = await startProxy(t, name, ports);
    if (proxy === undefined) return;
    // HAProxy answers 503 before the first checks.
    while (received === 0) assert.notEqual((await exchange(proxy.port, encodeRequest('1'))).status, 200);
    received = 0;
    assert.equal((await exchange(proxy.port, encodeRequest('1'))).status, 502);
    assert.equal(received, 1);
  });
}

test('nginx logs failures of backends without keys, and no other requests', async (t) => {
  const broken = await startBreakingBackend(t, () => {});
  const nothing = await findPort();
  const proxy = await startProxy(t, 'nginx', [broken, nothing]);
  if (proxy === undefined) return;
  assert.equal((await exchange(proxy.port, encodeHead('GET', '/health/ready', { Host: HOST }))).status, 404);
  assert.equal((await exchange(proxy.port, encodeRequest('1'))).status, 502);
  const lines = readFileSync(join(proxy.folder, 'portcullis.log'), 'utf8').trim().split('\n');
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /^127\.0\.0\.1 \[.*\] POST 502 .* upstream (?:127\.0\.0\.1:\d+(?:, )?)+ 502/);
  assert.ok(!lines[0]?.includes(KEY));
});
