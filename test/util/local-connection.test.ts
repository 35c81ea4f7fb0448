/** Connects only to the listener with the configured certificate, not to other TLS servers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer as createPlainServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createServer, type Server } from 'node:tls';
import { CertificatePin } from '../../src/util/certificate-pin.ts';
import { connectLocally, WrongCertificateError } from '../../src/util/local-connection.ts';
import { type Certificate, createCertificate } from '../support/certificate.ts';

const NEVER = new AbortController().signal;

type Scene = {
  readonly file: string;
  readonly server: Server;
  /** All received data. */
  readonly heard: string[];
  connect(signal?: AbortSignal): Promise<void>;
};

async function createScene(t: TestContext, shown: Certificate, configured = shown): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-pin-'));
  const file = join(folder, 'tls.crt');
  writeFileSync(file, configured.cert);
  const heard: string[] = [];
  const server = createServer(shown, (socket) => {
    socket.on('data', (chunk) => heard.push(String(chunk)));
    socket.on('error', () => {});
    socket.write('welcome');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const { port } = server.address() as AddressInfo;
  const pin = new CertificatePin(file);
  const admits = (shown: Buffer | undefined): boolean => pin.admits(shown);
  return {
    file,
    server,
    heard,
    async connect(signal = NEVER) {
      const socket = await connectLocally({ host: '0.0.0.0', port, admits }, signal);
      assert.equal(String((await once(socket, 'data'))[0]), 'welcome');
      socket.destroy();
    },
  };
}

test('the configured certificate is accepted, whatever its name and date', async (t) => {
  await (await createScene(t, createCertificate('rpc.example.org'))).connect();
  await (await createScene(t, createCertificate('rpc.example.org', -1))).connect();
});

test('another certificate of the same name is refused before anything is sent', async (t) => {
  const scene = await createScene(t, createCertificate('same'), createCertificate('same'));
  await assert.rejects(scene.connect(), WrongCertificateError);
  assert.deepEqual(scene.heard, []);
});

test('only the first certificate of a file counts', async (t) => {
  const [own, issuer] = [createCertificate('own'), createCertificate('issuer')];
  const chain = { cert: `${own.cert}${issuer.cert}`, key: own.key };
  await (await createScene(t, own, chain)).connect();
  await assert.rejects((await createScene(t, issuer, chain)).connect(), WrongCertificateError);
});

test('a new certificate is accepted once it is in the file, and the old one while the listener has it', async (t) => {
  const next = createCertificate('next');
  const scene = await createScene(t, createCertificate('first'));
  writeFileSync(scene.file, next.cert);
  await scene.connect();
  writeFileSync(scene.file, 'half of a certif');
  await scene.connect();
  writeFileSync(scene.file, next.cert);
  scene.server.setSecureContext(next);
  await scene.connect();
  rmSync(scene.file);
  await scene.connect();
});

test('a listener without TLS, a silent one and an absent one are errors', async (t) => {
  const server = createPlainServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const silent = createPlainServer();
  t.after(() => server.close());
  for (const one of [server, silent]) await once(one.listen(0, '127.0.0.1'), 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-pin-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const pin = new CertificatePin(join(folder, 'none.crt'));
  const admits = (shown: Buffer | undefined): boolean => pin.admits(shown);
  const portOf = (one: Server | typeof server): number => (one.address() as AddressInfo).port;
  const at = (port: number) => ({ host: '127.0.0.1', port, admits });
  await assert.rejects(connectLocally(at(portOf(server)), NEVER));
  const left = new AbortController();
  const waiting = connectLocally(at(portOf(silent)), left.signal);
  const [accepted] = await once(silent, 'connection');
  left.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
  accepted.destroy();
  const closed = portOf(silent);
  silent.close();
  await assert.rejects(connectLocally(at(closed), NEVER), { code: 'ECONNREFUSED' });
  await assert.rejects(connectLocally(at(closed), left.signal), { name: 'AbortError' });
});
