/** Limits with clocks that are temporarily wrong, and restarts meanwhile. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { open } from 'lmdb';
import { Account } from '../../../src/access/limits/account.ts';
import type { LimitTable } from '../../../src/access/limits/limit-table.ts';
import { LmdbLimitTable } from '../../../src/access/limits/lmdb-limit-table.ts';
import { RedisLimitTable } from '../../../src/access/limits/redis-limit-table.ts';
import { makeFolder, NO_REDIS, openClient, openServer } from '../key-tables.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2030, 0, 10, 12);
const RATE = { perSecond: 10, burst: 5 };
const JUMPS = [
  ['an hour ahead', 3_600_000],
  ['two days ahead', 2 * DAY_MS],
  ['a hundred years ahead', 36_500 * DAY_MS],
  ['two days back', -2 * DAY_MS],
] as const;

/** Milliseconds since `START`, and the error of the clock in milliseconds. */
type Clock = { passed: number; wrong: number };
const read = ({ passed, wrong }: Clock): number => START + passed + wrong;

/** Closes the table and opens it again, like a restarted process. */
type Restart = () => Promise<LimitTable>;

const KINDS: readonly {
  readonly name: string;
  readonly skip: string | false;
  begin(t: TestContext, clock: Clock): Promise<Restart>;
}[] = [
  {
    name: 'LMDB',
    skip: false,
    async begin(t, clock) {
      const folder = makeFolder(t);
      let table: LmdbLimitTable | undefined;
      t.after(() => table?.close());
      return async () => {
        await table?.close();
        table = new LmdbLimitTable(
          folder,
          () => assert.fail('the table fails'),
          () => read(clock),
        );
        return table;
      };
    },
  },
  {
    name: 'Valkey',
    skip: NO_REDIS,
    async begin(t) {
      const client = await openClient(t, await openServer(t));
      return async () => {
        const table = new RedisLimitTable({ client, prefix: 'test', timeLimitMs: 10_000, processes: 1 });
        t.after(() => table.close());
        return table;
      };
    },
  },
];

function openAccount(table: LimitTable, clock: Clock, dailyCredits?: number): Account {
  return new Account({
    name: 'key:a',
    rate: dailyCredits === undefined ? RATE : undefined,
    dailyCredits,
    table,
    now: () => clock.passed,
    clock: () => read(clock),
  });
}

async function spendAll(account: Account, atMost = 1_000): Promise<number> {
  let taken = 0;
  while (taken < atMost && (await account.take(1)) === undefined) taken++;
  await account.flush();
  return taken;
}

for (const { name, skip, begin } of KINDS) {
  describe(`daily credits in ${name} with a clock that is temporarily`, { skip }, () => {
    for (const [how, jump] of JUMPS) {
      test(`${how}, across restarts`, async (t) => {
        const clock = { passed: 0, wrong: 0 };
        const restart = await begin(t, clock);
        assert.equal(await spendAll(openAccount(await restart(), clock, 100), 60), 60);
        clock.wrong = jump;
        const meanwhile = await spendAll(openAccount(await restart(), clock, 100), 40);
        clock.wrong = 0;
        const left = await spendAll(openAccount(await restart(), clock, 100));
        // The count of the day is intact when the clock is right again. After a jump back the earlier day counts as over, so up to 40 more
        // may be left.
        assert.equal(60 + meanwhile + (jump < 0 ? 0 : left), 100);
        assert.ok(left <= 40, `${left} left`);
        assert.equal(await spendAll(openAccount(await restart(), clock, 100)), 0);
        clock.passed += DAY_MS;
        assert.equal(await spendAll(openAccount(await restart(), clock, 100)), 100);
      });

      test(`${how}, in one process`, async (t) => {
        const clock = { passed: 0, wrong: 0 };
        const account = openAccount(await (await begin(t, clock))(), clock, 100);
        assert.equal(await spendAll(account, 60), 60);
        clock.wrong = jump;
        clock.passed += 60_000;
        await spendAll(account, 40);
        clock.wrong = 0;
        clock.passed += 60_000;
        await spendAll(account);
        assert.equal(await spendAll(account), 0);
        clock.passed += DAY_MS;
        assert.equal(await spendAll(account), 100);
      });
    }
  });
}

describe('a bucket with a clock that is temporarily', () => {
  for (const [how, jump] of JUMPS) {
    for (const isRestarted of [false, true]) {
      test(`${how}${isRestarted ? ', over restarts' : ''}`, async (t) => {
        const clock = { passed: 0, wrong: jump };
        const restart = await (KINDS[0] as (typeof KINDS)[number]).begin(t, clock);
        let table = await restart();
        assert.equal(await spendAll(openAccount(table, clock)), RATE.burst);
        clock.wrong = 0;
        if (isRestarted) table = await restart();
        const account = openAccount(table, clock);
        const first = await spendAll(account);
        assert.ok(first <= RATE.burst, `${first} at once`);
        // Tokens accrue from now on, not from when the wrong time is reached.
        let provided = 0;
        for (let i = 0; i < 20; i++) {
          clock.passed += 500;
          provided += await spendAll(account);
        }
        assert.equal(provided, 100);
      });
    }
  }

  test('ahead, in Valkey', { skip: NO_REDIS }, async (t) => {
    const client = await openClient(t, await openServer(t));
    const table = new RedisLimitTable({ client, prefix: 'test', timeLimitMs: 10_000, processes: 1 });
    t.after(() => table.close());
    const bucket = '{test:limit:key:a}';
    await client.send('HSET', bucket, 't', '0', 'a', String(Date.now() + 100 * 365 * DAY_MS));
    const rate = { perSecond: 100, burst: 5 };
    const draw = () => table.draw({ bucket: 'key:a', rate, tokens: 1, spending: undefined });
    const first = await draw();
    assert.equal(first?.tokens, 0);
    assert.ok((first?.waitMs ?? 0) <= 10, `${first?.waitMs} ms`);
    for (let i = 0; (await draw())?.tokens !== 1; i++) assert.ok(i < 10_000, 'it earns nothing');
  });
});

test('each new bucket removes a few unused ones, including those from a clock that was ahead', async (t) => {
  const folder = makeFolder(t);
  const clock = { passed: 0, wrong: 36_500 * DAY_MS };
  const table = new LmdbLimitTable(
    folder,
    () => assert.fail('the table fails'),
    () => read(clock),
  );
  t.after(() => table.close());
  const draw = (bucket: string): unknown =>
    table.draw({ bucket, rate: RATE, tokens: 1, spending: undefined });
  for (let i = 0; i < 500; i++) draw(`address:early${i}`);
  clock.wrong = 0;
  for (let i = 0; i < 500; i++) draw(`address:late${i}`);
  clock.passed += 3_600_001;
  const root = open({ path: join(folder, 'limits'), noSubdir: false });
  let before = root.getCount();
  for (let i = 0; i < 400; i++) {
    draw(`address:new${i}`);
    root.resetReadTxn();
    const count = root.getCount();
    assert.ok(count >= before + 1 - 4, `${before} became ${count}`);
    before = count;
  }
  assert.equal(before, 400);
});
