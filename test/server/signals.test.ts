import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { encodeRequest, RawClient } from './support.ts';

const CHILD = fileURLToPath(new URL('./serving-child.js', import.meta.url));

type Started = { readonly child: ChildProcess; readonly client: RawClient; readonly port: number };

async function start(t: TestContext, slowMs: number): Promise<Started> {
  const child = fork(CHILD, [String(slowMs)]);
  t.after(() => child.kill('SIGKILL'));
  const [port] = (await once(child, 'message')) as [number];
  const client = new RawClient(port);
  const started = once(child, 'message');
  client.send(encodeRequest('"slow"'));
  await started;
  return { child, client, port };
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} answers requests in progress, then the process exits with 0`, async (t) => {
    const { child, client } = await start(t, 200);
    const exited = once(child, 'exit');
    child.kill(signal);
    assert.equal((await client.read())?.body.toString(), '"slow"');
    assert.deepEqual(await exited, [0, null]);
  });
}

test('a second signal ends the process at once', async (t) => {
  const { child, client, port } = await start(t, 60_000);
  const exited = once(child, 'exit');
  const idle = new RawClient(port);
  await idle.send(encodeRequest('1')).read();
  child.kill('SIGTERM');
  // Once the idle connection is closed, the first signal has been handled.
  await idle.readToEnd();
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [143, null]);
  assert.equal(await client.read(), undefined);
});
