/** Limits of a key in several processes that share a table. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { Rate } from '../../../src/access/keys/rate.ts';
import { Account, type Denial } from '../../../src/access/limits/account.ts';
import { fillBucket, takeTokens } from '../../../src/access/limits/bucket.ts';
import type { Drawn, LimitTable } from '../../../src/access/limits/limit-table.ts';
import { NO_REDIS, openServer } from '../key-tables.ts';
import { openRedisLimits, TABLES } from './tables.ts';

type Limits = { readonly rate?: Rate; readonly dailyCredits?: number };

function open(
  table: LimitTable,
  { rate, dailyCredits }: Limits,
  rest: Partial<{ now: () => number; clock: () => number }> = {},
): Account {
  const now = rest.now ?? (() => performance.now());
  return new Account({ name: 'key:a', rate, dailyCredits, table, now, clock: rest.clock ?? Date.now });
}

for (const { name, skip, open: openTables } of TABLES) {
  describe(`limits in ${name}`, { skip }, () => {
    test('all processes together grant the burst plus the tokens accrued since, no more', async (t) => {
      const rate = { perSecond: 4, burst: 50 };
      // The clock of the accounts stands still: they drop no tokens, and request none from the table after a denial.
      const time = { now: 0 };
      const accounts = (await openTables(t, 3)).map((table) =>
        open(table, { rate }, { now: () => time.now }),
      );
      const start = performance.now();
      let provided = 0;
      const takeAll = async (): Promise<readonly Denial[]> => {
        const denials: Denial[] = [];
        while (denials.length === 0 || accounts.some(({ denial }) => denial === undefined)) {
          const calls = accounts.flatMap((account) => [account.take(0), account.take(0)]);
          for (const outcome of await Promise.all(calls))
            outcome === undefined ? provided++ : denials.push(outcome);
        }
        // Counts the tokens that the accounts still have reserved.
        for (const account of accounts) while ((await account.take(0)) === undefined) provided++;
        return denials;
      };
      const check = (least: number): void => {
        const bound = rate.burst + (rate.perSecond * (performance.now() - start)) / 1_000;
        assert.ok(provided >= least && provided <= bound + 1, `${provided} given, ${bound} allowed`);
      };
      const denials = await takeAll();
      check(rate.burst);
      const waitMs = Math.max(...denials.map(({ retryAfterMs }) => retryAfterMs)) + 20;
      await wait(waitMs);
      time.now += waitMs;
      await takeAll();
      check(rate.burst + 1);
    });

    test('a denial reports a retry delay after which a call is granted', async (t) => {
      const [table] = await openTables(t, 1);
      const time = { now: 0 };
      const rate = { perSecond: 4, burst: 2 };
      const account = open(table as LimitTable, { rate }, { now: () => time.now });
      let denial: Denial | undefined;
      for (let provided = 0; denial === undefined; provided++) {
        denial = (await account.take(0)) ?? undefined;
        if (denial !== undefined) assert.ok(provided >= 2, `${provided} given`);
      }
      assert.equal(denial.reason, 'rate');
      assert.equal(denial.allowed, 4);
      assert.ok(denial.retryAfterMs > 0 && denial.retryAfterMs <= 251, String(denial.retryAfterMs));
      assert.ok(account.denial !== undefined);
      await wait(denial.retryAfterMs + 20);
      time.now += denial.retryAfterMs + 20;
      assert.equal(await account.take(0), undefined);
    });

    test('processes that spend concurrently exceed the daily credits by at most a tenth', async (t) => {
      const limits = { dailyCredits: 10_000 };
      const time = { now: 0 };
      const tables = await openTables(t, 4);
      const accounts = tables.map((table) => open(table, limits, { now: () => time.now }));
      // Each process has read the day's usage before any has spent.
      for (const account of accounts) assert.equal(await account.take(0), undefined);
      let spent = 0;
      const spend = async (account: Account): Promise<void> => {
        for (let calls = 0; calls < 2_000 && (await account.take(10)) === undefined; calls++) spent += 10;
      };
      // Each process has several callers.
      await Promise.all([...accounts, ...accounts, ...accounts].map(spend));
      assert.ok(spent >= 10_000 * 0.9 && spent <= 10_000 * 1.1, String(spent));
    });

    test('daily credits are counted over all processes and reset at the next day', async (t) => {
      const clock = { now: Date.UTC(2030, 0, 1, 23, 59, 59) };
      const limits = { dailyCredits: 1_000 };
      const tables = await openTables(t, 2);
      const [first, second] = tables.map((table) =>
        open(table, limits, { clock: () => clock.now, now: () => clock.now }),
      ) as [Account, Account];
      assert.equal(await first.take(600), undefined);
      assert.equal(first.isDirty, true);
      await first.flush();
      assert.equal(first.isDirty, false);
      assert.equal(await second.take(300), undefined);
      await second.flush();
      const denial = (await second.take(101)) as Denial;
      assert.deepEqual([denial.reason, denial.retryAfterMs], ['credits', 1_000], 'it would exceed the day');
      assert.equal(await second.take(100), undefined, 'a cheaper call fits exactly');
      assert.equal(((await second.take(1)) as Denial).reason, 'credits');
      assert.equal(await second.take(0), undefined, 'what costs nothing exceeds nothing');
      await second.flush();
      await first.flush();
      clock.now += 1_000;
      assert.equal(await second.take(1), undefined);
    });
  });
}

for (const { name, skip, open: openTables } of TABLES) {
  test(`concurrent calls never exceed the daily credits in ${name}`, { skip }, async (t) => {
    const [table] = await openTables(t, 1);
    const account = open(table as LimitTable, { dailyCredits: 100, rate: { perSecond: 1e6, burst: 1e6 } });
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => account.take(7)));
    assert.equal(outcomes.filter((outcome) => outcome === undefined).length, 14, '98 of 100 credits');
    await account.flush();
    assert.equal(((await account.take(3)) as Denial).reason, 'credits');
    assert.equal(await account.take(2), undefined);
  });
}

test('an unavailable table limits the account to its share of the daily credits', async () => {
  const table: LimitTable = { share: 0.5, unreported: 1, draw: () => undefined, close: async () => {} };
  const account = open(table, { dailyCredits: 100 });
  assert.equal(await account.take(40), undefined);
  assert.equal(((await account.take(11)) as Denial).reason, 'credits');
  assert.equal(await account.take(10), undefined);
});

test('a repeated or late entry is counted only once in Valkey', { skip: NO_REDIS }, async (t) => {
  const server = await openServer(t);
  const [table, other] = [await openRedisLimits(t, server), await openRedisLimits(t, server)];
  const enter = async (to: LimitTable, entry: number, credits: number): Promise<number | undefined> => {
    const spending = { account: 'key:a', day: 20_000, credits, entry, known: 0 };
    return (await to.draw({ bucket: 'key:a', rate: undefined, tokens: 0, spending }))?.spent;
  };
  assert.equal(await enter(table, 1, 10), 10);
  assert.equal(await enter(table, 1, 10), 10);
  assert.equal(await enter(table, 3, 5), 15);
  assert.equal(await enter(table, 2, 7), 15);
  // Other processes number their entries independently.
  assert.equal(await enter(other, 1, 100), 115);
  assert.equal(await enter(table, 4, -5), 110);
  assert.equal(await enter(other, 2, 0), 110);
});

describe('an account', () => {
  /** Creates a table whose answers come from `answer`. */
  function script(
    answer: (tokens: number) => PromiseOrValue<Drawn | undefined>,
  ): LimitTable & { draws: number[] } {
    const draws: number[] = [];
    return {
      draws,
      share: 0.5,
      unreported: 1,
      close: async () => {},
      draw: ({ tokens }) => {
        draws.push(tokens);
        return answer(tokens);
      },
    };
  }

  const full = (tokens: number): Drawn => ({ tokens, waitMs: 0, spent: 0 });

  test('draws tokens ahead while busy, and single tokens while idle', () => {
    const clock = { now: 0 };
    const table = script(full);
    const account = open(table, { rate: { perSecond: 1_000, burst: 1_000 } }, { now: () => clock.now });
    for (let i = 0; i < 2_000; i++, clock.now++) assert.equal(account.take(0), undefined);
    assert.equal(table.draws[0], 1);
    assert.ok(
      Math.max(...table.draws) >= 20 && Math.max(...table.draws) <= 21,
      String(Math.max(...table.draws)),
    );
    assert.ok(table.draws.length < 200);
    clock.now += 10_000;
    account.take(0);
    assert.equal(table.draws.at(-1), 1);
  });

  test('discards reserved tokens after a while', () => {
    const clock = { now: 0 };
    const table = script((tokens) => full(tokens + 5));
    const account = open(table, { rate: { perSecond: 10, burst: 10 } }, { now: () => clock.now });
    account.take(0);
    account.take(0);
    assert.equal(table.draws.length, 1);
    clock.now += 300;
    account.take(0);
    assert.equal(table.draws.length, 2);
  });

  test('sends one draw for all calls that wait for the table', async () => {
    let release: (drawn: Drawn) => void = () => {};
    const table = script(() => new Promise((resolve) => (release = resolve)));
    const account = open(table, { rate: { perSecond: 10, burst: 10 } });
    const calls = Array.from({ length: 5 }, () => account.take(0));
    assert.deepEqual(table.draws, [1]);
    release(full(1));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(table.draws.length, 2);
    release({ tokens: 2, waitMs: 70, spent: 0 });
    const outcomes = await Promise.all(calls);
    assert.deepEqual(
      outcomes.map((denial) => denial?.reason),
      [undefined, undefined, undefined, 'rate', 'rate'],
    );
  });

  test('grants its own share while the table is unavailable, and retries until it is back', () => {
    const clock = { now: 0 };
    let isAway = true;
    const table = script((tokens) => (isAway ? undefined : full(tokens)));
    const account = open(table, { rate: { perSecond: 100, burst: 20 } }, { now: () => clock.now });
    let provided = 0;
    for (; clock.now < 2_000; clock.now++) if (account.take(0) === undefined) provided++;
    // Half of the burst and of the rate.
    assert.ok(provided >= 105 && provided <= 111, String(provided));
    assert.ok(table.draws.length >= 7 && table.draws.length <= 10, String(table.draws.length));
    isAway = false;
    clock.now += 250;
    account.take(0);
    assert.equal(account.take(0), undefined);
    assert.ok((table.draws.at(-1) ?? 0) >= 1);
  });

  test('grants no new burst when the table becomes unavailable again and again', () => {
    const clock = { now: 0 };
    let isAway = false;
    const table: LimitTable = {
      share: 0.5,
      unreported: 1,
      close: async () => {},
      draw: ({ tokens }) => (isAway ? undefined : { tokens: 0 * tokens, waitMs: 1, spent: 0 }),
    };
    const account = open(table, { rate: { perSecond: 10, burst: 1_000 } }, { now: () => clock.now });
    let provided = 0;
    for (; clock.now < 20_000; clock.now++) {
      isAway = Math.floor(clock.now / 1_000) % 2 === 1;
      if (account.take(0) === undefined) provided++;
    }
    // Half of the burst, and of the tokens of twenty seconds.
    assert.ok(provided <= 500 + 100 + 1, String(provided));
  });

  test('refunds a call that was not made', async () => {
    const table = script(full);
    const account = open(table, { rate: { perSecond: 10, burst: 10 }, dailyCredits: 100 });
    for (let i = 0; i < 50; i++) {
      assert.equal(await account.take(80), undefined);
      account.giveBack(80);
    }
    assert.equal(account.isDirty, false);
  });

  test('stores credits that could not be entered, and enters them once', async () => {
    const entered: number[] = [];
    let isAway = false;
    const table: LimitTable = {
      share: 1,
      unreported: 1,
      close: async () => {},
      draw: ({ tokens, spending }) => {
        if (isAway) return undefined;
        entered.push(spending?.credits ?? 0);
        return { tokens, waitMs: 0, spent: entered.reduce((sum, credits) => sum + credits, 0) };
      },
    };
    const account = open(table, { dailyCredits: 100 });
    account.take(10);
    isAway = true;
    await account.flush();
    assert.equal(account.isDirty, true);
    account.take(10);
    isAway = false;
    await account.flush();
    await account.flush();
    assert.equal(
      entered.reduce((sum, credits) => sum + credits, 0),
      20,
    );
    assert.equal(account.isDirty, false);
  });

  test('repeats an unconfirmed entry unchanged before any new entry', async () => {
    const sent: (readonly [number | undefined, number | undefined])[] = [];
    let isLate = true;
    const table: LimitTable = {
      share: 1,
      unreported: 1,
      close: async () => {},
      draw({ tokens, spending }) {
        sent.push([spending?.entry, spending?.credits]);
        // The entry was made, but its answer was lost.
        return isLate ? undefined : { tokens, waitMs: 0, spent: 10 };
      },
    };
    const account = open(table, { dailyCredits: 100 });
    account.take(10);
    await account.flush();
    account.take(10);
    await account.flush();
    isLate = false;
    await account.flush();
    await account.flush();
    assert.equal(account.isDirty, false);
    const entries = sent.filter(([, credits]) => credits !== 0);
    const credits = new Map(entries);
    assert.deepEqual([...credits.values()], [10, 10]);
    assert.ok(entries.every(([entry, amount]) => credits.get(entry) === amount));
    const numbers = entries.map(([entry]) => Number(entry));
    assert.deepEqual(
      numbers,
      numbers.toSorted((one, next) => one - next),
    );
    assert.ok(numbers.length > 2, 'it was sent again');
  });

  test('bounds the calls that wait for the table', async () => {
    const table = script(() => new Promise(() => {}));
    const account = open(table, { rate: { perSecond: 10, burst: 10 } });
    for (let i = 0; i < 1_000; i++) assert.ok(account.take(0) instanceof Promise);
    assert.equal((account.take(0) as Denial).reason, 'rate');
  });
});

describe('the rate that a denial reports', () => {
  test('has the calls of the last second, refused ones included, and no others', () => {
    const clock = { now: 0 };
    const rate = { perSecond: 4, burst: 3 };
    const table: LimitTable = {
      share: 1,
      unreported: 1,
      draw: ({ tokens }) => ({ tokens: clock.now === 0 ? tokens : 0, waitMs: 250, spent: 0 }),
      close: async () => {},
    };
    const account = open(table, { rate }, { now: () => clock.now, clock: () => clock.now });
    for (let call = 0; call < 5; call++) assert.equal(account.take(0), undefined);
    clock.now = 600;
    assert.equal((account.take(0) as Denial).current, 6);
    assert.equal((account.take(0) as Denial).current, 7);
    // Work of a call is no further call.
    account.take(0, clock.now, 0);
    assert.equal(account.denial?.current, 7);
    account.giveBack(0);
    assert.equal(account.take(0), undefined);
    assert.equal((account.take(0) as Denial).current, 8);
    clock.now = 1_100;
    assert.equal((account.take(0) as Denial).current, 4);
    clock.now = 60_000;
    assert.equal((account.take(0) as Denial).current, 1);
  });
});

describe('a call that costs several tokens', () => {
  /** Opens an account with its own table, on a clock that only the test advances. */
  function openStill(rate: Rate): { account: Account; clock: { now: number } } {
    const clock = { now: 1_000 };
    let bucket = fillBucket(undefined, rate, clock.now);
    const table: LimitTable = {
      share: 1,
      unreported: 1,
      draw({ tokens }) {
        const drawn = takeTokens(fillBucket(bucket, rate, clock.now), rate, tokens);
        bucket = drawn.bucket;
        return { tokens: drawn.tokens, waitMs: drawn.waitMs, spent: 0 };
      },
      close: async () => {},
    };
    const now = (): number => clock.now;
    return { account: open(table, { rate }, { now, clock: now }), clock };
  }

  test('is granted with one token left, and its debt is paid before the next call is granted', () => {
    const { account, clock } = openStill({ perSecond: 10, burst: 6 });
    assert.equal(account.take(0, clock.now, 4), undefined);
    for (let left = 2; left > 0; left--) assert.equal(account.take(0, clock.now), undefined);
    assert.equal((account.take(0, clock.now) as Denial).reason, 'rate');
    clock.now += 100;
    assert.equal(account.take(0, clock.now, 4), undefined);
    const denial = account.take(0, clock.now) as Denial;
    assert.ok(denial.retryAfterMs > 300 && denial.retryAfterMs <= 400, `${denial.retryAfterMs} ms`);
    clock.now += 350;
    assert.equal((account.take(0, clock.now) as Denial).reason, 'rate');
    clock.now += 51;
    assert.equal(account.take(0, clock.now), undefined);
    assert.equal((account.take(0, clock.now) as Denial).reason, 'rate');
  });

  test('costs at most a burst, and nothing if it was already paid', () => {
    const { account, clock } = openStill({ perSecond: 10, burst: 2 });
    assert.equal(account.take(0, clock.now, 40), undefined);
    assert.equal((account.take(0, clock.now) as Denial).reason, 'rate');
    assert.equal(account.take(0, clock.now, 0), undefined);
    clock.now += 101;
    assert.equal(account.take(0, clock.now), undefined);
  });
});
