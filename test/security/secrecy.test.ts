/** Credentials are never revealed in responses, logs, metrics, the status, or traces. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { KeyBook } from '../../src/access/keys/key-book.ts';
import { LmdbKeyTable } from '../../src/access/keys/lmdb-key-table.ts';
import { listBuiltinNetworks } from '../../src/config/builtin-config.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { renderMetrics } from '../../src/observe/metrics/render-metrics.ts';
import { composeService, type Service } from '../../src/service/compose.ts';
import { exchange } from '../server/support.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';

const GUESS = 'deadbeefdeadbeefdeadbeefdeadbeef';
const MARK = 'body-that-must-stay-secret';

const folder = makeTemporaryFolder();
const lines: string[] = [];
const traces: Buffer[] = [];
const collector = createServer((request, response) => {
  request.on('data', (piece: Buffer) => traces.push(piece));
  request.on('end', () => response.end('{}'));
});
let service: Service;
let book: KeyBook;
let port: number;

before(async () => {
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const text = JSON.stringify({
    listen: { host: '127.0.0.1', port: 0 },
    dataDir: folder.path,
    ...listBuiltinNetworks(),
    log: { level: 'debug', requests: { sample: 1, slow: '1ms' } },
    tracing: { endpoint: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`, sample: 1 },
  });
  const config = parseConfig(text, { name: 'test', folder: folder.path, environment: {} });
  const log = createLogger('debug', { sink: { write: (line) => void lines.push(line) } });
  service = await composeService(config, log);
  ({ port } = await service.server.listen());
  book = new KeyBook(new LmdbKeyTable(folder.path));
});
after(async () => {
  await book.close();
  collector.close();
  collector.closeAllConnections();
  folder.remove();
});

function encode(verb: string, target: string, headers: Record<string, string>, body: string): string {
  const fields = {
    Host: 'devnet.localhost',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    ...headers,
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${verb} ${target} HTTP/1.1\r\n${head.join('')}\r\n${body}`;
}

const basic = (secret: string): string => `Basic ${Buffer.from(`:${secret}`).toString('base64')}`;

test('keys, secrets, tokens and bodies are in no response, log line, metric, status or trace', async () => {
  const plain = await book.create('plain', {}, false);
  const { key, secret = '' } = await book.create('secretive', {}, true);
  const bodies = [
    '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
    `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":["${MARK}"]}`,
    `not json ${MARK}`,
    `[{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${MARK}"]}]`,
  ];
  const answered: string[] = [];
  const send = async (verb: string, target: string, headers: Record<string, string>, body: string) => {
    const answer = await exchange(port, encode(verb, target, headers, body)).catch(() => undefined);
    if (answer !== undefined) answered.push(JSON.stringify(answer.headers), answer.body.toString('latin1'));
  };
  for (const opening of [plain.key, key, GUESS]) {
    for (const authorization of [basic(secret), basic(GUESS), `Bearer ${GUESS}`, secret]) {
      for (const body of bodies) await send('POST', `/v3/${opening}`, { Authorization: authorization }, body);
      const targets = [
        `/v3/${opening}?key=${opening}`,
        `/v3/${opening}/`,
        `/v3?key=${opening}`,
        `/v4/${opening}`,
        `/${opening}`,
        `/health/live?${opening}`,
        `http://devnet.localhost/v3/${opening}`,
      ];
      for (const target of targets) {
        for (const verb of ['POST', 'GET', 'PUT', 'OPTIONS']) {
          await send(verb, target, { Authorization: authorization, Origin: 'https://a.example' }, '');
        }
      }
    }
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${opening}`, {
      headers: { host: 'devnet.localhost', authorization: basic(secret) },
    });
    socket.on('message', (data) => answered.push(String(data)));
    socket.on('error', () => {});
    socket.on('open', () => {
      for (const body of bodies) socket.send(body);
      socket.close();
    });
    await new Promise((resolve) => socket.on('close', resolve));
  }
  const metrics = await renderMetrics([await service.readMetrics()]);
  const status = JSON.stringify(await service.readStatus());
  await service.close();
  const traced = Buffer.concat(traces).toString('latin1');
  assert.ok(
    answered.length > 100 && lines.length > 100 && traced.includes('eth_chainId'),
    'nothing was answered',
  );
  const places = { answered: answered.join('\n'), lines: lines.join(''), metrics, status, traced };
  for (const [place, content] of Object.entries(places)) {
    for (const hidden of [
      plain.key,
      key,
      secret,
      GUESS,
      basic(secret),
      basic(GUESS),
      basic(secret).slice(6),
    ]) {
      assert.ok(!content.includes(hidden), `${hidden} is in ${place}`);
    }
    if (place !== 'answered') assert.ok(!content.includes(MARK), `a body is in ${place}`);
  }
});

test('configuration errors do not quote possible secrets', () => {
  const secret = 'hunter2hunter2hunter2';
  for (const wrong of [
    { access: { valkey: { url: `http://user:${secret}@127.0.0.1` } } },
    { access: { valkey: { url: `redis://user:${secret}@127.0.0.1/x/y` } } },
    { cache: { redis: { url: `redis://:${secret}@[` } } },
    { admin: { key: `${secret} with spaces` } },
    { admin: { key: secret.slice(0, 12) } },
    { tracing: { endpoint: `ftp://${secret}@127.0.0.1` } },
    { networks: { mine: { hosts: ['a.localhost'], upstreams: [`ftp://${secret}@127.0.0.1`] } } },
    {
      networks: {
        mine: { hosts: ['a.localhost'], upstreams: [{ url: `http://127.0.0.1/${secret}`, x: 1 }] },
      },
    },
  ]) {
    const text = JSON.stringify({ ...listBuiltinNetworks(), ...wrong });
    assert.throws(
      () => parseConfig(text, { name: 'test', folder: '/', environment: {} }),
      (error: Error) => !error.message.includes(secret.slice(0, 12)),
    );
  }
});
