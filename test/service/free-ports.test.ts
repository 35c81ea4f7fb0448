import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { requireFreePorts } from '../../src/service/free-ports.ts';

const host = '127.0.0.1';

/** Listens until the end of the test. */
async function occupyPort(t: TestContext): Promise<number> {
  const other = createServer().listen(0, host);
  t.after(() => other.close());
  await once(other, 'listening');
  return (other.address() as AddressInfo).port;
}

/** Finds a port that nothing listens on. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('a port that is in use is an error with the options that choose another one', async (t) => {
  const port = await occupyPort(t);
  for (const [kind, options] of [
    ['file', 'PORTCULLIS_PORT or listen.port'],
    ['text', '--port or PORTCULLIS_PORT'],
    ['builtin', '--port or PORTCULLIS_PORT'],
  ] as const) {
    await assert.rejects(requireFreePorts({ listen: { host, port }, admin: false }, kind), {
      message: `127.0.0.1:${port} is in use; choose another port with ${options}`,
    });
  }
});

test('a configured admin port that is in use is an error, and its default is not', async (t) => {
  const port = await occupyPort(t);
  const message = `the admin server's 127.0.0.1:${port} is in use; choose another with PORTCULLIS_ADMIN_PORT or admin`;
  await assert.rejects(requireFreePorts({ listen: { host, port: 0 }, admin: { host, port } }, 'file'), {
    message,
  });
  await requireFreePorts({ listen: { host, port: 0 }, admin: { host } }, 'file');
});

test('one port for both servers is an error', async () => {
  const port = await findPort();
  await assert.rejects(requireFreePorts({ listen: { host, port }, admin: { host, port } }, 'file'), {
    message: /^the admin server's .* is in use/,
  });
});

test('a host that cannot be used is an error with advice', async () => {
  await assert.rejects(
    requireFreePorts({ listen: { host: 'nohost.invalid', port: 0 }, admin: false }, 'file'),
    {
      message: /^the host name nohost\.invalid has no address; choose another with PORTCULLIS_HOST/,
    },
  );
});

test('free ports are free again afterwards', async () => {
  const [port, adminPort] = [await findPort(), await findPort()];
  const place = { listen: { host, port }, admin: { host, port: adminPort } };
  for (let time = 0; time < 3; time++) await requireFreePorts(place, 'file');
  const socket = connect(port, host);
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  assert.equal(error.code, 'ECONNREFUSED');
});
