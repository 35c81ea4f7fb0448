import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { WebSocket } from 'ws';
import type { Server } from '../../src/server/lifecycle.ts';
import type { TlsOptions } from '../../src/server/options.ts';
import { type Certificate, createCertificate } from '../support/certificate.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  encodeHead,
  encodeRequest,
  HOST,
  KEY,
  letArrive,
  PATH,
  RawClient,
  type Setup,
  startServer,
} from './support.ts';

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-tls-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function writePair(folder: string, { cert, key }: Certificate): TlsOptions {
  const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  return files;
}

type Started = {
  readonly port: number;
  readonly server: Server;
  readonly tls: TlsOptions;
  readonly logLines: string[];
};

async function startTls(t: TestContext, pair: Certificate, setup: Setup = {}): Promise<Started> {
  const tls = writePair(createFolder(t), pair);
  const logLines: string[] = [];
  return { ...(await startServer(t, { ...setup, logLines, listen: { tls } })), tls, logLines };
}

async function connectTls(port: number, ca: string, options: object = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost', ...options });
  await once(socket, 'secureConnect');
  return socket;
}

/** Reads the name in the certificate that a new connection receives. */
async function readName(port: number): Promise<string> {
  const socket = await connectTls(port, '', { rejectUnauthorized: false });
  const name = socket.getPeerCertificate().subject.CN;
  socket.destroy();
  return String(name);
}

test('fast-path requests, other requests and upgrades are answered over TLS', async (t) => {
  const pair = createCertificate();
  const { port } = await startTls(t, pair);
  const client = new RawClient(await connectTls(port, pair.cert, { ALPNProtocols: ['h2', 'http/1.1'] }));
  assert.equal((client.socket as TLSSocket).alpnProtocol, 'http/1.1');
  const plain = encodeRequest('"plain"');
  assert.equal((await client.send(plain).read())?.body.toString(), '"plain"');
  // The request arrives in pieces, so that the server waits for its body.
  client.send(plain.subarray(0, -3));
  await letArrive();
  assert.equal((await client.send(plain.subarray(-3)).read())?.body.toString(), '"plain"');
  const other = encodeRequest('"other"', { TE: 'trailers' });
  for (let i = 0; i < 2; i++) assert.equal((await client.send(other).read())?.body.toString(), '"other"');
  assert.equal((await client.send(plain).read())?.body.toString(), '"plain"');
  client.send(encodeRequest('"h2c"', { Upgrade: 'h2c', Connection: 'Upgrade, HTTP2-Settings' }));
  assert.equal((await client.read())?.body.toString(), '"h2c"');
  client.close();

  const socket = new WebSocket(`wss://127.0.0.1:${port}/ws/v3/${KEY}`, {
    ca: pair.cert,
    headers: { Host: HOST },
  });
  await once(socket, 'open');
  socket.send('"ws"');
  const [message] = (await once(socket, 'message')) as [Buffer];
  assert.equal(message.toString(), '"ws"');
  socket.close();
});

test('large answers to a node:https client are sent over TLS', async (t) => {
  const pair = createCertificate();
  const body = JSON.stringify('x'.repeat(3_000_000));
  const { port } = await startTls(t, pair, { handler: () => ({ status: 200, body }) });
  for (const encoding of ['identity', 'gzip']) {
    const call = request({
      host: '127.0.0.1',
      port,
      path: PATH,
      method: 'POST',
      ca: pair.cert,
      servername: 'localhost',
      headers: { Host: HOST, 'Content-Type': 'application/json', 'Accept-Encoding': encoding },
    });
    call.end('1');
    const [response] = await once(call, 'response');
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    assert.ok(encoding === 'gzip' ? bytes < body.length / 10 : bytes === body.length, `${bytes}`);
  }
});

test('TLS 1.1 is refused, and so is a client without TLS', async (t) => {
  const pair = createCertificate();
  const { port } = await startTls(t, pair);
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
  await assert.rejects(connectTls(port, pair.cert, old));
  const plain = connectPlain(port, '127.0.0.1');
  plain.write(encodeHead('GET', '/health/live', {}));
  let received = '';
  plain.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  plain.on('error', () => {});
  await once(plain, 'close');
  assert.ok(!received.includes('HTTP'));
});

test('a replaced certificate is used for new connections, and open connections remain', async (t) => {
  const first = createCertificate('first');
  const { port, tls, logLines } = await startTls(t, first);
  const cached = new RawClient(await connectTls(port, first.cert));
  await cached.send(encodeRequest('1')).read();
  writePair(join(tls.cert, '..'), createCertificate('second'));
  await waitUntil(() => logLines.some((line) => line.includes('was replaced')));
  assert.equal(await readName(port), 'second');
  assert.equal((await cached.send(encodeRequest('2')).read())?.body.toString(), '2');
  cached.close();
});

test('a certificate replaced by swapping a symbolic link to its folder is used', async (t) => {
  const folder = createFolder(t);
  for (const name of ['one', 'two']) {
    mkdirSync(join(folder, name));
    writePair(join(folder, name), createCertificate(name));
  }
  symlinkSync('one', join(folder, '..data'));
  const tls = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  for (const file of ['tls.crt', 'tls.key']) symlinkSync(join('..data', file), join(folder, file));
  const logLines: string[] = [];
  const { port } = await startServer(t, { listen: { tls }, logLines });
  assert.equal(await readName(port), 'one');
  symlinkSync('two', join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
  await waitUntil(() => logLines.some((line) => line.includes('was replaced')));
  assert.equal(await readName(port), 'two');
});

test('an invalid pair is logged with its reason, and the previous pair remains in use', async (t) => {
  const first = createCertificate('first');
  const { port, server, tls, logLines } = await startTls(t, first);
  const complaints = (): string[] => logLines.filter((line) => line.includes('cannot be used'));
  writeFileSync(tls.key, createCertificate('second').key);
  server.reload();
  server.reload();
  assert.equal(complaints().length, 1);
  assert.match(complaints()[0] as string, /not the key of the certificate/);
  writeFileSync(tls.cert, 'nonsense');
  server.reload();
  rmSync(tls.cert);
  server.reload();
  assert.match(complaints()[1] as string, /listen\.tls\.cert: not a certificate/);
  assert.match(complaints()[2] as string, /listen\.tls\.cert: no such file/);
  assert.equal(await readName(port), 'first');
  writePair(join(tls.cert, '..'), createCertificate('third', -1));
  server.reload();
  assert.equal(await readName(port), 'third');
  assert.ok(logLines.some((line) => line.includes('"level":40') && line.includes('has expired')));
  for (const line of logLines) assert.ok(!line.includes('BEGIN') && !line.includes('nonsense'));
});

for (const [name, spoil, message] of [
  [
    'a missing certificate',
    (tls: TlsOptions) => rmSync(tls.cert),
    /^listen\.tls\.cert: no such file: .*tls\.crt$/,
  ],
  ['a missing key', (tls: TlsOptions) => rmSync(tls.key), /^listen\.tls\.key: no such file: .*tls\.key$/],
  [
    'text',
    (tls: TlsOptions) => writeFileSync(tls.key, 'x'),
    /^listen\.tls\.key: not a private key in PEM form/,
  ],
  [
    'the key of another',
    (tls: TlsOptions) => writeFileSync(tls.key, createCertificate().key),
    /^listen\.tls\.key: not the key of the certificate/,
  ],
] as const) {
  test(`${name} is an error at the start`, async (t) => {
    const tls = writePair(createFolder(t), createCertificate());
    spoil(tls);
    await assert.rejects(startServer(t, { listen: { tls } }), { message });
  });
}

test('closing drains over TLS without waiting for handshakes', async (t) => {
  const pair = createCertificate();
  let isWorking = false;
  const { port, server } = await startTls(t, pair, {
    limits: { drainTimeout: 600_000, handshakeTimeout: 600_000 },
    handler: async () => {
      isWorking = true;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { status: 200, body: '"done"' };
    },
  });
  const silent = connectPlain(port, '127.0.0.1');
  const unused = await connectTls(port, pair.cert);
  const busy = new RawClient(await connectTls(port, pair.cert)).send(encodeRequest('1'));
  silent.on('error', () => {});
  unused.on('error', () => {});
  await waitUntil(() => isWorking);
  await server.close();
  assert.equal((await busy.read())?.body.toString(), '"done"');
  await waitUntil(() => silent.destroyed && unused.destroyed);
});
