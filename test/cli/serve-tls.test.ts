import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { MAIN } from '../../scripts/program-files.ts';
import { createCertificate } from '../support/certificate.ts';

const CONFIG = `
listen: { port: 0, tls: { cert: tls.crt, key: tls.key } }
networks:
  mine: { hosts: [mine.localhost], upstreams: ["http://127.0.0.1:1"], pool: { chainId: 7 } }
`;

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'p.yaml'), CONFIG);
  return folder;
}

function writePair(folder: string, name: string): void {
  const { cert, key } = createCertificate(name);
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key);
}

/** Requests readiness. @returns the name in the certificate, and the status line */
async function ask(port: number): Promise<readonly [unknown, string | undefined]> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const name = socket.getPeerCertificate().subject.CN;
  socket.write('GET /health/ready HTTP/1.1\r\nConnection: close\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += chunk;
  return [name, text.split('\r\n')[0]];
}

test('serve starts with TLS, reloads the certificate on SIGHUP, and exits on SIGTERM', async (t) => {
  const folder = createFolder(t);
  writePair(folder, 'first');
  const child = spawn(process.execPath, [MAIN, 'serve', '--config', join(folder, 'p.yaml')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  assert.match(
    String(output),
    /https:\/\/127\.0\.0\.1:\d+\/<network>\/v3\/.*wss:\/\/127\.0\.0\.1:\d+\/<network>\/ws\/v3\//s,
  );
  const port = Number(/listens on 127\.0\.0\.1:(\d+)/.exec(String(output))?.[1]);
  // The only node of the network is down.
  assert.deepEqual(await ask(port), ['first', 'HTTP/1.1 503 Service Unavailable']);
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const health = [MAIN, 'health', '--config', join(folder, 'p.yaml')];
  const environment = { ...process.env, PORTCULLIS_PORT: String(port) };
  assert.equal(spawnSync(process.execPath, health, { env: environment }).status, 0);
  const status = /Status: +(http\S+)\/status/.exec(String(output))?.[1];
  const address = (await (await fetch(`${status}/console`)).json()) as { scheme: string; port: number };
  assert.deepEqual([address.scheme, address.port], ['https', port]);
  const answer = await fetch(`${status}/console`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ network: 'mine', key: 'unknown', request: {} }),
  });
  // The console reached the service, although the certificate does not match the address.
  assert.equal(((await answer.json()) as { status: number }).status, 401);
  writePair(folder, 'second');
  child.kill('SIGHUP');
  while (!log.includes('was replaced')) await once(child.stderr, 'data');
  assert.equal((await ask(port))[0], 'second');
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('a missing certificate ends the start with a one-line error', (t) => {
  const folder = createFolder(t);
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'serve', '--config', 'p.yaml'], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.match(stderr, /^portcullis: listen\.tls\.cert: no such file: .*\/tls\.crt$/m);
});
