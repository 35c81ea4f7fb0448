import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkFiles } from '../../src/cli/check-files.ts';
import type { Config } from '../../src/config/config.ts';
import { readConfigText } from '../../src/config/load-config.ts';
import { readTlsPair } from '../../src/server/tls-files.ts';
import { readRules } from '../../src/service/read-rules.ts';
import { CertificatePin } from '../../src/util/certificate-pin.ts';
import { checkLmdbFile } from '../../src/util/lmdb-folder.ts';
import { readRegularFile } from '../../src/util/read-file.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const A_PIPE = /is not a file but a pipe: name a regular file/;

test('a regular file is read completely, also through links, and a too large one is refused', (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const file = join(folder.path, 'file');
  const bytes = Buffer.alloc(200_000, 7);
  writeFileSync(file, bytes);
  symlinkSync(file, join(folder.path, 'link'));
  assert.ok(readRegularFile(join(folder.path, 'link')).equals(bytes));
  assert.throws(() => readRegularFile(file, 199_999), /is larger than 199999 bytes/);
  // The file reports no size.
  assert.ok(readRegularFile('/proc/self/status').length > 0);
});

test('a path that is not a regular file is refused at once', async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const pipe = join(folder.path, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const socket = join(folder.path, 'socket');
  const server = createServer().listen(socket);
  t.after(() => server.close());
  await once(server, 'listening');
  assert.throws(() => readRegularFile(pipe), A_PIPE);
  assert.throws(() => readRegularFile(socket), /is not a file but a socket/);
  assert.throws(() => readRegularFile('/dev/zero'), /is not a file but a device/);
  assert.throws(() => readRegularFile(folder.path), /is a folder/);
  assert.throws(() => readRegularFile(join(folder.path, 'absent')), { code: 'ENOENT' });
});

test('no path of the configuration may be a pipe, which would block until its writer comes', async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const pipe = join(folder.path, 'pipe');
  execFileSync('mkfifo', [pipe]);
  assert.throws(() => readTlsPair({ cert: pipe, key: pipe }), A_PIPE);
  assert.throws(() => readRules(pipe), A_PIPE);
  await assert.rejects(readConfigText(pipe), A_PIPE);
  assert.equal(new CertificatePin(pipe).admits(Buffer.alloc(1)), false);
  const store = join(folder.path, 'store');
  mkdirSync(store);
  execFileSync('mkfifo', [join(store, 'data.mdb')]);
  assert.throws(() => checkLmdbFile(store), /contains a data\.mdb that is not a file/);
  const config = {
    listen: { host: '127.0.0.1', port: 0, tls: { cert: pipe, key: pipe } },
    networks: { a: { chain: pipe } },
    access: { jwt: { issuer: { jwks: pipe } } },
  } as unknown as Config;
  const problems = checkFiles(config);
  assert.deepEqual(
    problems.map(({ path }) => path.join('.')),
    ['listen.tls.cert', 'networks.a.chain', 'access.jwt.issuer.jwks'],
  );
  for (const { message } of problems) assert.match(message, A_PIPE);
});
