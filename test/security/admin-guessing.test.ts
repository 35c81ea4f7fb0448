/** The key of the admin server cannot be guessed by trying. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, type Got, startAdmin } from '../admin/support.ts';
import { FakeClock } from '../support/fake-clock.ts';

const KEY = 'correct-horse-battery';

test('after thirty wrong keys every key is refused until tokens accrue again', async (t) => {
  const clock = new FakeClock();
  const { server, port, lines } = await startAdmin({ key: KEY, clock });
  t.after(() => server.close());
  const show = (key: string): Promise<Got> =>
    ask(port, { path: '/openrpc.json', headers: { Authorization: `Bearer ${key}` } });
  for (let i = 0; i < 30; i++) assert.equal((await show(`wrong-key-number-${i}`)).status, 401);
  const refused = await show(KEY);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers['retry-after'], '1');
  // A browser without a key still gets 401, the challenge for one.
  assert.equal((await ask(port, { path: '/openrpc.json' })).status, 401);
  await clock.advance(1_000);
  assert.equal((await show('wrong-key-number-30')).status, 401);
  assert.equal((await show(KEY)).status, 429);
  await clock.advance(1_000);
  assert.equal((await show(KEY)).status, 200);
  assert.ok(!lines.join('').includes('wrong-key-number'));
});

test('requests without a key do not count as wrong keys', async (t) => {
  const { server, port } = await startAdmin({ key: KEY });
  t.after(() => server.close());
  for (let i = 0; i < 60; i++) assert.equal((await ask(port, {})).status, 401);
  const { status } = await ask(port, { headers: { Authorization: `Bearer ${KEY}` } });
  assert.equal(status, 200);
});
