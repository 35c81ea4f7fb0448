/** The key of the admin server cannot be guessed by trying. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Guesses } from '../../src/admin/guesses.ts';
import { BoundRefusal } from '../../src/admin/refusal.ts';
import { startApi, TOKENS } from '../admin/api-support.ts';
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

test('wrong keys of one address do not lock out others, and a /64 counts as one address', () => {
  const guesses = new Guesses(() => 0);
  const isRefused = (address: string): boolean => {
    try {
      guesses.checkAddress(address);
      return false;
    } catch (error) {
      assert.ok(error instanceof BoundRefusal && error.status === 429);
      return true;
    }
  };
  for (let i = 0; i < 30; i++) guesses.count(`2001:db8:1:2::${i.toString(16)}`);
  assert.ok(isRefused('2001:db8:1:2:ffff::1'));
  assert.ok(!isRefused('2001:db8:1:3::1'));
  assert.ok(!isRefused('192.0.2.1'));
  for (let i = 0; i < 30; i++) guesses.count('192.0.2.1');
  assert.ok(isRefused('192.0.2.1') && isRefused('::ffff:192.0.2.1'));
  assert.ok(!isRefused('192.0.2.2'));
});

test('a token of the Admin API is guessed neither by many parallel requests nor by other headers', async (t) => {
  const api = await startApi(t, { clock: new FakeClock() });
  const statuses = await Promise.all(
    // Fewer than the bound of connections to the admin server.
    Array.from({ length: 60 }, async (_, i) => {
      const forwarded = { 'X-Forwarded-For': `192.0.2.${i}`, Forwarded: `for=192.0.2.${i}` };
      return (
        await api.send({ path: '/admin/v1/keys', token: `wrong-token-number-${i}`, headers: forwarded })
      ).status;
    }),
  );
  assert.equal(statuses.filter((status) => status === 401).length, 30);
  assert.equal(statuses.filter((status) => status === 429).length, 30);
  assert.equal((await api.send({ path: '/admin/v1/keys', token: TOKENS.write })).status, 429);
});
