import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runService } from '../../src/service/run-service.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';

test('signal handlers are installed before the ready line, after which a supervisor may send signals', async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const config = {
    listen: { port: 0 },
    admin: false,
    log: { level: 'silent' },
    dataDir: folder.path,
    networks: {
      none: { hosts: ['none.localhost'], upstreams: [{ url: 'http://127.0.0.1:1' }], pool: { chainId: 1 } },
    },
  };
  const before = process.listeners('SIGTERM');
  let added: NodeJS.SignalsListener | undefined;
  const code = await runService(
    { kind: 'text', name: 'test', text: JSON.stringify(config) },
    {
      onReady: () => {
        [added] = process.listeners('SIGTERM').filter((listener) => !before.includes(listener));
        // Without a listener the service would stay running here, and the signal would end the process.
        assert.ok(added, 'no listener');
        setImmediate(added, 'SIGTERM');
      },
    },
  );
  assert.equal(code, 0);
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    for (const listener of process.listeners(name)) if (listener === added) process.off(name, listener);
  }
});
