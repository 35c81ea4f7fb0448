/** The service connects only to addresses that its configuration names, whatever clients send. */
import assert from 'node:assert/strict';
import dns from 'node:dns';
import { Socket } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
import { KeyBook } from '../../src/access/keys/key-book.ts';
import { LmdbKeyTable } from '../../src/access/keys/lmdb-key-table.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { mergeStatus } from '../../src/observe/merge-status.ts';
import { composeService, type Service } from '../../src/service/compose.ts';
import { openAdmin } from '../../src/service/open-admin.ts';
import { ask } from '../admin/support.ts';
import { exchange } from '../server/support.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { type ScriptedNode, startNode } from '../support/served-node.ts';

/** Documentation address (RFC 5737); connections to it are recorded. */
const ELSEWHERE = '192.0.2.66';
const NAME = 'elsewhere.invalid';

type Target = { readonly host: string; readonly port: number };

const reached: Target[] = [];
const lookedUp: string[] = [];
const originalConnect = Socket.prototype.connect;
const originalLookup = dns.lookup;

/** Records every connection and name look-up of this process, its own clients' included. */
function watchConnections(): void {
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
    const [first] = args.flat();
    const { host = 'localhost', port } = first as { readonly host?: string; readonly port: number };
    reached.push({ host, port: Number(port) });
    return Reflect.apply(originalConnect, this, args) as Socket;
  } as typeof originalConnect;
  dns.lookup = ((name: string, ...rest: unknown[]) => {
    lookedUp.push(name);
    return Reflect.apply(originalLookup, dns, [name, ...rest]);
  }) as typeof originalLookup;
}

const folder = makeTemporaryFolder();
const closers: (() => unknown)[] = [];
let service: Service;
let node: ScriptedNode;
let book: KeyBook;
let port: number;
let adminPort: number;

before(async () => {
  const untilTheEnd = { after: (close: () => unknown) => void closers.push(close) };
  node = await startNode(untilTheEnd as unknown as TestContext);
  watchConnections();
  const log = createLogger('silent');
  const text = JSON.stringify({
    listen: { host: '127.0.0.1', port: 0, trustedProxies: ['loopback'] },
    admin: { port: 0 },
    dataDir: folder.path,
    defaultNetwork: 'mine',
    networks: {
      mine: { hosts: ['mine.localhost', '*.wild.localhost'], upstreams: [node.url] },
    },
  });
  const config = parseConfig(text, { name: 'test', folder: folder.path, environment: {} });
  service = await composeService(config, log);
  ({ port } = await service.server.listen());
  const admin = await openAdmin({
    config,
    log,
    status: async () => mergeStatus([await service.readStatus()]),
    service: { host: '127.0.0.1', port },
  });
  assert.ok(admin !== undefined);
  adminPort = admin.address.port;
  closers.push(() => admin.server.close());
  book = new KeyBook(new LmdbKeyTable(folder.path));
});

after(async () => {
  Socket.prototype.connect = originalConnect;
  dns.lookup = originalLookup;
  await service.close();
  await book.close();
  for (const close of closers) await close();
  folder.remove();
});

function assertNoOther(): void {
  const named = new Set([port, adminPort, Number(new URL(node.url).port)]);
  const others = reached.filter(
    (target) => !named.has(target.port) || !/^(127\.0\.0\.1|localhost)$/.test(target.host),
  );
  assert.deepEqual(others, []);
  assert.deepEqual(
    lookedUp.filter((name) => name !== 'localhost' && name !== '127.0.0.1'),
    [],
  );
}

const URLS = [
  `http://${ELSEWHERE}/`,
  `http://${NAME}:8545`,
  `//${NAME}/`,
  `ws://${ELSEWHERE}:1`,
  'file:///etc/passwd',
  `${ELSEWHERE}:80`,
  'ipc:///tmp/geth.ipc',
];

function encode(target: string, headers: Record<string, string>, body: string): string {
  const fields = { 'Content-Type': 'application/json', 'Content-Length': String(body.length), ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

const call = (method: string, params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

test('no host, header, target or parameter of a request makes the service connect elsewhere', async () => {
  const { key } = await book.create('guest', {}, false);
  const path = `/v3/${key}`;
  assert.equal(
    (await exchange(port, encode(path, { Host: 'mine.localhost' }, call('eth_chainId', [])))).status,
    200,
  );
  const nodePort = Number(new URL(node.url).port);
  assert.ok(
    reached.some((target) => target.port === nodePort),
    'the watch sees nothing',
  );
  const body = call('eth_call', [{ to: `0x${'11'.repeat(20)}` }, 'latest']);
  for (const url of URLS) {
    const host = url.replace(/^[a-z]*:?\/\//, '').replace(/\/.*$/, '') || 'x';
    for (const headers of [
      { Host: host },
      { Host: 'mine.localhost', 'X-Forwarded-Host': host, Forwarded: `host=${host}`, 'X-Original-URL': url },
      { Host: 'mine.localhost', 'X-Forwarded-For': host, 'X-Real-IP': host, Origin: url, Referer: url },
      { Host: 'mine.localhost', Via: `1.1 ${host}`, Traceparent: url, Destination: url, Location: url },
      { Host: `${host.replace(/:.*/, '')}.wild.localhost` },
    ]) {
      await exchange(port, encode(path, headers, body));
    }
    for (const target of [url, `http://${host}${path}`, `https://${host}:443${path}`, `${path}?url=${url}`]) {
      await exchange(port, encode(target, { Host: 'mine.localhost' }, body));
    }
    await exchange(port, `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`).catch(
      () => {},
    );
    for (const params of [
      [url],
      [{ to: url, url }],
      [{ to: `0x${'11'.repeat(20)}`, url, ccip: [url] }, url],
    ]) {
      for (const method of [
        'eth_call',
        'eth_getLogs',
        'eth_getBlockByNumber',
        'admin_addPeer',
        'rollup_getInfo',
      ]) {
        await exchange(port, encode(path, { Host: 'mine.localhost' }, call(method, params)));
      }
    }
  }
  assertNoOther();
});

test('no setting of a key makes the service connect elsewhere', async () => {
  for (const settings of [
    { origins: [`http://${NAME}`] },
    { userAgents: [`http://${NAME}/`] },
    { jwt: 'unknown' },
  ]) {
    const { key } = await book.create('guest', settings, false);
    const token = `${Buffer.from(JSON.stringify({ alg: 'RS256', jku: `http://${ELSEWHERE}/` })).toString('base64url')}.e30.AA`;
    const headers = {
      Host: 'mine.localhost',
      Origin: `http://${NAME}`,
      'User-Agent': `http://${NAME}/`,
      Authorization: `Bearer ${token}`,
    };
    await exchange(port, encode(`/v3/${key}`, headers, call('eth_chainId', [])));
  }
  await assert.rejects(book.create('guest', { jwt: `http://${ELSEWHERE}/` }, false));
  assertNoOther();
});

test('the console reaches only networks of the service', async () => {
  for (const network of [
    ...URLS,
    ELSEWHERE,
    NAME,
    `mine.localhost@${NAME}`,
    'x.wild.localhost',
    '169.254.169.254',
  ]) {
    const { status } = await ask(adminPort, {
      method: 'POST',
      path: '/console',
      headers: { 'Content-Type': 'application/json', Host: 'localhost' },
      body: JSON.stringify({ network, key: 'demo', request: { method: 'eth_chainId' } }),
    });
    assert.equal(status, 400, network);
  }
  assertNoOther();
});
