/** A ConfigMap in the layout of a kubelet mount: an update changes the target of a link in the folder. */
import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startNode } from '../support/served-node.ts';
import { serve } from './serving.ts';

type Mount = {
  readonly file: string;
  /** Replaces everything in one step, like the kubelet. */
  put(text: string): void;
};

function createMount(t: TestContext, text: string): Mount {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-config-map-'));
  t.after(() => rmSync(folder, { recursive: true }));
  let version = 0;
  const put = (next: string): void => {
    const name = `..version_${version++}`;
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'portcullis.yaml'), next);
    symlinkSync(name, join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
  };
  put(text);
  symlinkSync(join('..data', 'portcullis.yaml'), join(folder, 'portcullis.yaml'));
  return { file: join(folder, 'portcullis.yaml'), put };
}

/** Requests a host. @returns 404 for a host that no network has, 401 for one that a network has, as the key is unknown */
function askHost(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { Host: host, 'Content-Type': 'application/json' };
    const requested = request({ host: '127.0.0.1', port, path: '/v3/unknown', method: 'POST', headers });
    requested.once('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    requested.once('error', reject);
    requested.end('{}');
  });
}

test('a changed ConfigMap is applied without a restart, and one that needs a restart is reported and changes nothing', async (t) => {
  const node = await startNode(t);
  const text = readFileSync('deploy/kubernetes/portcullis.yaml', 'utf8')
    .replaceAll('host: 0.0.0.0', 'host: 127.0.0.1')
    .replace('defaultNetwork: mainnet', '');
  const mount = createMount(t, text);
  const { port, waitForLine } = await serve(t, mount.file, {
    NODE_URL: node.url,
    // Nothing listens there: this test reads no keys.
    VALKEY_URL: 'redis://127.0.0.1:1',
    ADMIN_KEY: 'a-key-of-some-length',
  });
  assert.equal(await askHost(port, 'second.example.org'), 404);
  const changed = text.replace('hosts: [', 'hosts: [second.example.org, ');
  mount.put(changed);
  await waitForLine('the new configuration is in force');
  assert.notEqual(await askHost(port, 'second.example.org'), 404);

  mount.put(changed.replace('second.', 'third.').replace('workers: 1', 'workers: 2'));
  await waitForLine('workers cannot change while the service runs: restart it');
  assert.equal(await askHost(port, 'third.example.org'), 404);
  assert.notEqual(await askHost(port, 'second.example.org'), 404);
});
