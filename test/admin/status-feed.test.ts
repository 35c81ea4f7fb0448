/** The status stream is computed once for all watchers, never without watchers, and not buffered for a watcher that does not read. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import { type TestContext, test } from 'node:test';
import { complete, FakeClock } from '../support/fake-clock.ts';
import { createStatus } from './status-fixture.ts';
import { ask, startAdmin } from './support.ts';

type Watcher = {
  readonly response: IncomingMessage;
  readonly request: ClientRequest;
  /** Waits until the text received satisfies the predicate. */
  until(isThere: (text: string) => boolean): Promise<void>;
};

async function watch(port: number): Promise<Watcher> {
  const request = openRequest({ host: '127.0.0.1', port, path: '/status/events', agent: false });
  request.on('error', () => {});
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.setEncoding('utf8');
  response.on('error', () => {});
  let text = '';
  response.on('data', (piece: string) => {
    text += piece;
  });
  return {
    response,
    request,
    async until(isThere) {
      while (!isThere(text)) await complete();
    },
  };
}

const countEvents = (text: string): number => text.split('data: ').length - 1;

async function start(t: TestContext, compute: () => ReturnType<typeof createStatus>) {
  const clock = new FakeClock();
  const admin = await startAdmin({ clock, sources: { status: compute } });
  t.after(() => admin.server.close());
  return { clock, admin, port: admin.port };
}

test('one computation per second serves all watchers, and none runs without watchers', async (t) => {
  let computed = 0;
  const { clock, port } = await start(t, () => {
    computed++;
    return createStatus();
  });
  await clock.advance(5_000);
  assert.equal(computed, 0);
  const watchers = [await watch(port), await watch(port), await watch(port)];
  for (const watcher of watchers) await watcher.until((text) => countEvents(text) === 1);
  assert.equal(computed, 1);
  for (let second = 2; second <= 4; second++) {
    await clock.advance(1_000);
    for (const watcher of watchers) await watcher.until((text) => countEvents(text) === second);
    assert.equal(computed, second);
  }
  assert.equal((await ask(port, { path: '/status.json' })).status, 200);
  assert.equal(computed, 4, 'what is not a second old is good enough');
  for (const { request } of watchers) request.destroy();
  while (clock.pending > 0) await complete();
  await clock.advance(5_000);
  assert.equal(computed, 4);
});

test('a failing status is a comment in the stream, a 503 elsewhere, and logged once', async (t) => {
  const { clock, admin, port } = await start(t, () => {
    throw new Error('no status');
  });
  const watcher = await watch(port);
  await watcher.until((text) => text.includes(': nothing new'));
  await clock.advance(3_000);
  await watcher.until((text) => text.split(': nothing new').length === 5);
  assert.equal((await ask(port, { path: '/status.json' })).status, 503);
  assert.equal(admin.lines.length, 1);
});

test('a watcher that does not read is disconnected', async (t) => {
  const large = 'x'.repeat(900_000);
  const { clock, port } = await start(t, () => ({ ...createStatus(), version: large }));
  const slow = await watch(port);
  slow.response.pause();
  const closed = new Promise((resolve) => slow.response.once('close', resolve));
  // The system's socket buffers, some tens of megabytes at most, fill up first.
  for (let second = 0; second < 100 && clock.pending > 0; second++) await clock.advance(1_000);
  assert.equal(clock.pending, 0, 'no watcher is left');
  slow.response.resume();
  await closed;
});

test('a seventeenth watcher is refused until another one leaves', async (t) => {
  const { port } = await start(t, createStatus);
  const watchers: Watcher[] = [];
  for (let i = 0; i < 16; i++) watchers.push(await watch(port));
  const refused = await ask(port, { path: '/status/events' });
  assert.equal(refused.status, 503);
  assert.equal(refused.headers['retry-after'], '10');
  watchers[0]?.request.destroy();
  let status = 503;
  while (status === 503) {
    const next = await watch(port);
    status = next.response.statusCode ?? 0;
    next.request.destroy();
  }
  assert.equal(status, 200);
});

test('streams end when the server closes', async (t) => {
  const { admin, port } = await start(t, createStatus);
  const { response } = await watch(port);
  response.resume();
  const ended = once(response, 'close');
  await admin.server.close();
  await ended;
});
