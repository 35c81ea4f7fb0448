import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import type { AdminOptions } from '../../src/admin/options.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { openAdmin } from '../../src/service/open-admin.ts';
import { createStatus } from '../admin/status-fixture.ts';
import { ask } from '../admin/support.ts';

const LOOPBACK: AdminOptions = { host: '127.0.0.1' };

/** Opens a port that is in use until the end of the test. */
async function occupyPort(t: { after(done: () => void): void }): Promise<number> {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  return (other.address() as AddressInfo).port;
}

function open(admin: AdminOptions | false, lines: string[], ports: { listen: number; byDefault: number }) {
  return openAdmin({
    config: { admin, listen: { host: '127.0.0.1', port: ports.listen } },
    service: { host: '127.0.0.1', port: 1 },
    status: () => createStatus(),
    log: createLogger('debug', { sink: { write: (line) => void lines.push(line) } }),
    defaultPort: ports.byDefault,
  });
}

test('admin: false opens no admin server', async () => {
  assert.equal(await open(false, [], { listen: 1, byDefault: 0 }), undefined);
});

test('the admin port is chosen by the system if the service port is', async () => {
  const admin = await open(LOOPBACK, [], { listen: 0, byDefault: 1 });
  assert.ok(admin !== undefined);
  const { status, body } = await ask(admin.address.port, { path: '/openrpc.json' });
  await admin.server.close();
  assert.equal(status, 200);
  const { methods } = JSON.parse(body) as { methods: { name: string; 'x-rollups-only'?: boolean }[] };
  const onRollups = methods.filter((method) => method['x-rollups-only'] === true).map(({ name }) => name);
  assert.deepEqual(onRollups, ['l2_estimateGas', 'rollup_getInfo']);
});

test('a default port that is in use is logged, and the service continues without an admin server', async (t) => {
  const port = await occupyPort(t);
  const lines: string[] = [];
  assert.equal(await open(LOOPBACK, lines, { listen: 1, byDefault: port }), undefined);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /"level":40.*continuing without it/);
});

test('a configured port that is in use is an error that names it', async (t) => {
  const port = await occupyPort(t);
  await assert.rejects(open({ ...LOOPBACK, port }, [], { listen: 1, byDefault: 0 }), {
    message: `the admin server's 127.0.0.1:${port} is in use; choose another with PORTCULLIS_ADMIN_PORT or admin`,
  });
});
