/** Reloads while the service stops. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLogger } from '../../src/observe/logger.ts';
import { makeConfig, readConfigSource } from '../../src/service/config-source.ts';
import { Reloader } from '../../src/service/reloader.ts';
import type { ServiceHost } from '../../src/service/service-host.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

test('a reload that hangs does not hold up the stop, and later reloads are refused', async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const file = join(folder.path, 'portcullis.yaml');
  writeFileSync(
    file,
    'listen: { port: 0 }\nnetworks: { none: { upstreams: [{ url: "http://127.0.0.1:1" }] } }\n',
  );
  const source = await readConfigSource(file);
  assert.ok(source.kind === 'file');
  let reloads = 0;
  let drain = (): void => {};
  const drained = new Promise<void>((resolve) => {
    drain = resolve;
  });
  const host = {
    reloadCertificate: () => {},
    reload: () => {
      reloads++;
      return drained;
    },
  } as unknown as ServiceHost;
  const log = createLogger('silent', { sink: { write: () => {} } });
  const reloader = new Reloader(source, await makeConfig(source), host, log);
  const running = reloader.reload();
  const waiting = reloader.reload();
  await waitUntil(() => reloads === 1);
  reloader.stop();
  assert.equal(process.listenerCount('SIGHUP'), 0);
  const closed = reloader.close();
  drain();
  assert.equal((await running).outcome, 'applied');
  const refused = { outcome: 'refused', problems: ['the service is stopping'] };
  assert.deepEqual(await waiting, refused);
  await closed;
  assert.deepEqual(await reloader.reload(), refused);
  assert.equal(reloads, 1);
});
