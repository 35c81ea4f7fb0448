/** A service that ends while a reload waits for its networks. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parseConfig } from '../../src/config/load-config.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { OpenNetworks } from '../../src/service/open-networks.ts';
import { ReloadQueue } from '../../src/service/reload-queue.ts';
import { startService } from '../support/service.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const NETWORKS = { networks: { one: { upstreams: ['http://127.0.0.1:1'] } } };
const folder = makeTemporaryFolder();
after(() => folder.remove());
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const STOPPING = /the service is stopping, and the reload did not end in 2 s/;

test('a reload that never ends does not keep the service from closing', async (t) => {
  const config = { ...NETWORKS, dataDir: folder.path, listen: { host: '127.0.0.1', port: 0 }, admin: false };
  const running = await startService(config, 'silent');
  const { service } = running;
  t.mock.method(OpenNetworks, 'open', () => new Promise(() => {}));
  const next = parseConfig(JSON.stringify(config), { name: 'test', folder: process.cwd(), environment: {} });
  const reloaded = assert.rejects(service.reload(next), STOPPING);
  await nextTurn();
  const waiting = assert.rejects(service.reload(next), /the service is stopping$/);
  // A supervisor waits for the reload between the drain and the end.
  await service.drain();
  await reloaded;
  await waiting;
  await running.close();
});

test('what an abandoned reload opens is closed, and never in force', async () => {
  const log = createLogger('silent');
  let isClosed = false;
  let finish = (): void => assert.fail();
  const queue = new ReloadQueue({
    open: () =>
      new Promise<{ close(): Promise<void> }>((resolve) => {
        finish = () =>
          resolve({
            async close() {
              isClosed = true;
            },
          });
      }),
    apply: () => assert.fail('the service has ended'),
    log,
  });
  const reloaded = assert.rejects(queue.reload('next'), STOPPING);
  await nextTurn();
  assert.equal(await queue.close(), true);
  await reloaded;
  finish();
  await nextTurn();
  assert.equal(isClosed, true);
});

test('a reload in progress that ends in time is in force before the service ends', async () => {
  const applied: string[] = [];
  const queue = new ReloadQueue<string, { close(): Promise<void> }>({
    open: () => new Promise((resolve) => setImmediate(() => resolve({ close: async () => {} }))),
    apply: (_, next) => applied.push(next),
    log: createLogger('silent'),
  });
  const reloaded = queue.reload('first');
  await nextTurn();
  const late = assert.rejects(queue.reload('second'), /the service is stopping$/);
  assert.equal(await queue.close(), false);
  await Promise.all([reloaded, late]);
  assert.deepEqual(applied, ['first']);
});
