/** `portcullis health`, the health check for images and operators. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createSilentServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MAIN } from '../../scripts/program-files.ts';
import { createCertificate } from '../support/certificate.ts';
import { findFreePort } from '../support/redis.ts';

type Outcome = { readonly code: unknown; readonly out: string; readonly err: string };

function check(args: readonly string[], environment: Record<string, string> = {}): Promise<Outcome> {
  const options = { env: { PATH: process.env['PATH'], ...environment } };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, 'health', ...args], options, (error, out, err) =>
      resolve({ code: error === null ? 0 : error.code, out, err }),
    );
  });
}

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-health-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Writes a configuration of which only `listen` is valid. */
function writeConfig(folder: string, listen: string): readonly string[] {
  const file = join(folder, 'portcullis.yaml');
  writeFileSync(file, `listen: ${listen}\nnetworks: nonsense\nadmin: { key: "\${NOBODY_HAS_THIS}" }\n`);
  return ['--config', file];
}

async function listen(t: TestContext, server: Server): Promise<number> {
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Answers a request for liveness with 200, everything else with 404. */
const answerLive: RequestListener = ({ method, url }, response) => {
  response.statusCode = method === 'GET' && url === '/health/live' ? 200 : 404;
  response.end();
};
const LIVE: Outcome = { code: 0, out: 'live\n', err: '' };

test('a service that answers is reported as live, even with an otherwise invalid configuration', async (t) => {
  const port = await listen(t, createServer(answerLive));
  const config = writeConfig(createFolder(t), `{ host: 0.0.0.0, port: ${port} }`);
  assert.deepEqual(await check(config), LIVE);
  assert.deepEqual(await check([], { PORTCULLIS_PORT: String(port) }), LIVE);
  const elsewhere = await check(config, { PORTCULLIS_PORT: String(await findFreePort()) });
  assert.equal(elsewhere.code, 1);
  assert.match(elsewhere.err, /^portcullis: the service on port \d+ is not alive: .*ECONNREFUSED.*\n$/);
});

test('a service with TLS is checked over https, whatever its certificate', async (t) => {
  const port = await listen(t, createTlsServer(createCertificate('rpc.example.org', -1), answerLive));
  const tls = '{ cert: not-read.crt, key: not-read.key }';
  assert.deepEqual(await check(writeConfig(createFolder(t), `{ port: ${port}, tls: ${tls} }`)), LIVE);
  const plain = await check(writeConfig(createFolder(t), `{ port: ${port} }`));
  assert.equal(plain.code, 1);
});

test('a service that answers with an error, or not at all, is reported as not live', async (t) => {
  const folder = createFolder(t);
  const failing = createServer((_, response) => response.writeHead(503).end());
  const failed = await check(writeConfig(folder, `{ port: ${await listen(t, failing)} }`));
  assert.deepEqual([failed.code, failed.out], [1, '']);
  assert.match(failed.err, /it answered with 503/);
  const silent = createSilentServer((socket) => socket.on('error', () => {}));
  const port = await listen(t, silent);
  const provided = await check(writeConfig(folder, `{ port: ${port} }`));
  assert.equal(provided.code, 1);
  assert.match(provided.err, /no answer in 2 s/);
});

test('a configuration without a usable port is an error with its line', async (t) => {
  const folder = createFolder(t);
  const { code, err } = await check(writeConfig(folder, '{ port: many }'));
  assert.equal(code, 1);
  assert.match(err, /^portcullis\.yaml:1: listen\.port: /);
  assert.match((await check(['--config', join(folder, 'none.yaml')])).err, /no such file/);
  assert.equal((await check(['--port', '1'])).code, 2);
  assert.match((await check(['--help'])).out, /portcullis health \[--config FILE\]/);
});
