import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { Draw, Drawn, LimitTable } from '../../../src/access/limits/limit-table.ts';
import { Limiter } from '../../../src/access/limits/limiter.ts';
import { LmdbLimitTable } from '../../../src/access/limits/lmdb-limit-table.ts';
import type { Principal } from '../../../src/access/principal.ts';
import { groupAddress } from '../../../src/util/group-address.ts';
import { makeFolder } from '../key-tables.ts';

const NO_TERMS = {
  rules: undefined,
  rate: undefined,
  dailyCredits: undefined,
  secretHash: undefined,
  jwt: undefined,
};

test('keys, networks and addresses have separate limits', async (t) => {
  const table = new LmdbLimitTable(makeFolder(t), () => {});
  t.after(() => table.close());
  const limiter = new Limiter({
    table,
    failures: { perSecond: 0.001, burst: 3 },
    networks: new Map([['small', { perSecond: 0.001, burst: 1 }]]),
  });
  t.after(() => limiter.close());
  const bounded = (id: string): Principal => ({
    id,
    name: id,
    terms: { ...NO_TERMS, rate: { perSecond: 0.001, burst: 2 } },
  });
  const [alice, bob] = [bounded('alice'), bounded('bob')];
  for (let i = 0; i < 2; i++) assert.equal(await limiter.takeForKey(alice, 80), undefined);
  assert.equal((await limiter.takeForKey(alice, 80))?.reason, 'rate');
  assert.equal(await limiter.takeForKey(bob, 80), undefined);
  // Another object for the same key shares its bucket.
  assert.equal((await limiter.takeForKey(bounded('alice'), 80))?.reason, 'rate');
  for (let i = 0; i < 100; i++) assert.equal(limiter.takeForKey({ id: 'free', name: 'free' }, 80), undefined);

  assert.deepEqual([limiter.bounds('small'), limiter.bounds('large')], [true, false]);
  assert.equal(await limiter.takeForNetwork('small'), undefined);
  assert.equal((await limiter.takeForNetwork('small'))?.reason, 'rate');
  assert.equal(await limiter.takeForNetwork('large'), undefined);

  for (let i = 0; i < 3; i++) {
    assert.equal(limiter.findBlock('2001:db8::1'), undefined);
    limiter.countFailure('2001:db8::1');
  }
  limiter.countFailure('2001:db8::1');
  assert.equal(limiter.findBlock('2001:db8::2')?.reason, 'rate', 'of one /64');
  assert.equal(limiter.findBlock('2001:db8:0:1::1'), undefined);
});

/** A table that makes entries by number, like the one in Valkey, and answers when the test lets it, or never. */
class LateTable implements LimitTable {
  readonly share = 1;
  readonly unreported = 1;
  spent = 0;
  isHeard = true;
  isMade = true;
  until: Promise<void> | undefined;
  #last = 0;

  async draw({ tokens, spending }: Draw): Promise<Drawn | undefined> {
    await this.until;
    if (spending !== undefined && spending.credits !== 0 && this.isMade && spending.entry > this.#last) {
      this.spent += spending.credits;
      this.#last = spending.entry;
    }
    return this.isHeard ? { tokens, waitMs: 0, spent: this.spent } : undefined;
  }

  async close(): Promise<void> {}
}

const daily = (name: string, dailyCredits = 1_000): Principal => ({
  id: 'one',
  name,
  terms: { ...NO_TERMS, dailyCredits },
});

function limitOver(table: LimitTable): Limiter {
  return new Limiter({ table, failures: { perSecond: 1, burst: 3 }, networks: new Map() });
}

test('verifications of one key share an account, and its unentered credits are not lost', async () => {
  const table = new LateTable();
  const limiter = limitOver(table);
  await limiter.takeForKey(daily('before a rotation'), 10);
  table.isHeard = table.isMade = false;
  await sleep(300);
  await limiter.takeForKey(daily('after it'), 1);
  table.isHeard = table.isMade = true;
  await limiter.close();
  assert.equal(table.spent, 11);
});

test('close enters all spent credits, including those after an unconfirmed entry', async () => {
  const table = new LateTable();
  const limiter = limitOver(table);
  const principal = daily('one');
  await limiter.takeForKey(principal, 10);
  table.isHeard = false;
  await sleep(300);
  for (let i = 0; i < 5; i++) await limiter.takeForKey(principal, 10);
  table.isHeard = true;
  await limiter.close();
  assert.equal(table.spent, 60);
});

test('credits of a call that waited for the table are entered even if others were entered meanwhile', async () => {
  const table = new LateTable();
  const limiter = limitOver(table);
  let answer = (): void => {};
  table.until = new Promise((resolve) => {
    answer = resolve;
  });
  const taken = limiter.takeForKey(daily('one'), 10);
  await sleep(500);
  answer();
  assert.equal(await taken, undefined);
  await limiter.close();
  assert.equal(table.spent, 10);
});

test('changed limits of a key apply at once', async () => {
  const table = new LateTable();
  const limiter = limitOver(table);
  assert.equal(await limiter.takeForKey(daily('one', 100), 100), undefined);
  assert.equal((await limiter.takeForKey(daily('one', 100), 1))?.reason, 'credits');
  assert.equal(await limiter.takeForKey(daily('one', 200), 1), undefined);
  assert.equal(await limiter.takeForKey({ id: 'one', name: 'one', terms: NO_TERMS }, 1_000), undefined);
  await limiter.close();
  assert.equal(table.spent, 101);
});

test('IPv4 addresses count individually, IPv6 addresses by their /64', () => {
  for (const [address, group] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ] as const) {
    assert.equal(groupAddress(address), group);
  }
  fc.assert(
    fc.property(fc.ipV6(), fc.ipV6(), (a, b) => {
      if (/\./.test(a + b)) return;
      assert.equal(groupAddress(a) === groupAddress(b), firstHalf(a) === firstHalf(b));
    }),
  );
});

function firstHalf(address: string): string {
  const [head = '', tail = ''] = address.split('::');
  const [first, last] = [head, tail].map((part) => part.split(':').filter((group) => group !== ''));
  const groups = [
    ...(first ?? []),
    ...new Array(8 - (first?.length ?? 0) - (last?.length ?? 0)).fill('0'),
    ...(last ?? []),
  ];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16))
    .join(':');
}
