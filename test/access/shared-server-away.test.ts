/** Keys and limits in Valkey while it is killed, frozen and back: no request waits for long, and no invalid key is admitted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { KeyBook } from '../../src/access/keys/key-book.ts';
import { RedisKeyTable } from '../../src/access/keys/redis-key-table.ts';
import { Account } from '../../src/access/limits/account.ts';
import { RedisLimitTable } from '../../src/access/limits/redis-limit-table.ts';
import { StoredKeys } from '../../src/access/stored-keys.ts';
import { NO_REDIS, openClient, openServer } from './key-tables.ts';

const until = async (what: string, check: () => unknown): Promise<void> => {
  for (let i = 0; i < 100; i++) {
    if (await check()) return;
    await wait(100);
  }
  assert.fail(what);
};

for (const fault of ['killed', 'frozen'] as const) {
  test(`Valkey is ${fault}: known keys are admitted, limits apply locally, and both are shared again afterwards`, {
    skip: NO_REDIS,
  }, async (t) => {
    const server = await openServer(t);
    const client = await openClient(t, server);
    const table = new RedisKeyTable({ client, prefix: 'test', timeLimitMs: 50 });
    const patient = new RedisKeyTable({ client, prefix: 'test', timeLimitMs: 5_000 });
    const limits = new RedisLimitTable({ client, prefix: 'test', timeLimitMs: 50, processes: 2 });
    t.after(() => limits.close());
    const book = new KeyBook(patient);
    const { key, record } = await book.create('known', {}, false);
    const { key: unseen } = await book.create('unseen', {}, false);
    const keys = new StoredKeys({ table, defaults: {}, staleMs: 60_000, onStale: () => {} });
    assert.equal((await keys.verify(key))?.name, 'known');
    // The process has counted itself, so its share is 1.
    await until('the process is not counted', () => limits.share === 1);
    const time = { now: 0 };
    const account = new Account({
      name: 'key:a',
      rate: { perSecond: 50, burst: 5 },
      dailyCredits: 1_000_000,
      table: limits,
      now: () => time.now,
      clock: Date.now,
    });
    assert.equal(await account.take(10), undefined);

    if (fault === 'killed') await server.kill();
    else server.freeze();
    await wait(600);
    assert.equal((await keys.verify(key))?.name, 'known');
    await assert.rejects(async () => keys.verify(unseen), /does not answer/);
    let [provided, denied] = [0, 0];
    for (; time.now < 1_000; time.now += 2) {
      if ((await account.take(10)) === undefined) provided++;
      else denied++;
    }
    assert.ok(provided > 0 && denied > 0, `${provided} given, ${denied} denied`);
    await until('the server counts as one that answers', async () => {
      await (async () => keys.verify(unseen))().catch(() => {});
      return !client.isAnswering;
    });
    // Its share is the whole limit: the burst, and the tokens of one second.
    assert.ok(provided <= 5 + 50, String(provided));

    if (fault === 'killed') await server.restart();
    else server.thaw();
    await until('limits are not shared again', async () => {
      time.now += 100;
      await account.take(10);
      await account.flush();
      return !account.isDirty;
    });
    assert.equal(client.isAnswering, true);
    if (fault === 'frozen') {
      await until('the unseen key does not open', async () => {
        try {
          return (await keys.verify(unseen)) !== undefined;
        } catch {
          return false;
        }
      });
      await book.revoke(record.id);
      await until('the revoked key goes on opening', async () => (await keys.verify(key)) === undefined);
    } else {
      // The server restarted without data: no earlier key is admitted any more.
      await until('a key that is gone goes on opening', async () => {
        try {
          return (await keys.verify(key)) === undefined;
        } catch {
          return false;
        }
      });
      const day = Math.floor(Date.now() / 86_400_000);
      const spending = { account: 'key:a', day, credits: 0, entry: 0, known: 0 };
      await until('it has not learned again what was spent', async () => {
        const drawn = await limits.draw({ bucket: 'key:a', rate: undefined, tokens: 0, spending });
        return (drawn?.spent ?? 0) >= 10 * provided;
      });
    }
  });
}
