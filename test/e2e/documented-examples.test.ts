/** Every example of the documentation is what the built-in networks answer; the README says what is printed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildCurlLines } from '../../src/cli/curl-lines.ts';
import { listBuiltinNetworks } from '../../src/config/builtin-config.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { METHODS } from '../../src/methods/table.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { type RunningService, startService } from '../support/service.ts';

const README = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8');
const METHODS_PAGE = readFileSync(join(import.meta.dirname, '../../../docs/methods.md'), 'utf8');
const folder = makeTemporaryFolder();
let service: RunningService;

before(async () => {
  service = await startService({ dataDir: folder.path, ...listBuiltinNetworks() });
});

after(async () => {
  await service.close();
  folder.remove();
});

/** `fetch` sets the Host header itself; this lets us choose. */
function post(host: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: service.port,
        path: '/v3/demo',
        method: 'POST',
        headers: { host, 'content-type': 'application/json' },
      },
      async (response) => resolve(Buffer.concat(await response.toArray()).toString('utf8')),
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

for (const { name, example } of METHODS) {
  test(`the example of ${name}`, async () => {
    const host = /^(l2|rollup)_/.test(name) ? 'rollup.localhost' : 'devnet.localhost';
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: example.params });
    assert.deepEqual(JSON.parse(await post(host, body)), { jsonrpc: '2.0', id: 1, result: example.result });
  });
}

test('the page of methods has the curl lines that start prints', () => {
  const lines = buildCurlLines({ host: '127.0.0.1', port: 8545 });
  assert.equal(lines.length, 7);
  for (const line of lines) assert.ok(METHODS_PAGE.includes(`\n${line}\n`), line);
});

test('the configurations in the README are valid', () => {
  const texts = [...README.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml]) => String(yaml));
  const environment = { NODE_KEY: 'key' };
  const networks = texts.flatMap((yaml) =>
    Object.keys(parseConfig(yaml, { name: 'README', folder: folder.path, environment }).networks),
  );
  assert.deepEqual(networks, ['mine', 'devnet', 'mainnet']);
});
