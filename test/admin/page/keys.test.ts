/** Texts and values of the view of keys. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyDescription } from '../../../src/access/keys/describe-key.ts';
import { describeCalls, findSpan } from '../../../src/admin/page/keys/daily-calls.ts';
import { listKind, numberKind, timeKind } from '../../../src/admin/page/keys/form-kinds.ts';
import { compareSettings, describeLimits } from '../../../src/admin/page/keys/limits.ts';
import type { ListedKey } from '../../../src/admin/page/keys/wire.ts';

test('the page accepts every key that the Admin API describes', () => {
  const described: KeyDescription = {
    id: '0',
    name: 'a',
    state: 'open',
    createdAt: '',
    keys: [],
    settings: {},
  };
  const listed: ListedKey = described;
  assert.equal(listed.id, '0');
});

test('limits are described shortly, and completely in the title', () => {
  const limits = describeLimits({
    rate: { perSecond: 50, burst: 100 },
    dailyCredits: 5_000_000,
    networks: ['a', 'b', 'c', 'd'],
    addresses: ['0x1'],
    send: false,
    secret: true,
    expiresAt: '2030-01-02T03:04:05.000Z',
  });
  assert.deepEqual(
    limits.map(({ text }) => text),
    ['50 calls/s', '5M credits/day', 'a, b, c +1', '1 contract', 'no sending', 'secret', 'until 2030-01-02'],
  );
  assert.deepEqual(
    limits.slice(0, 3).map(({ title }) => title),
    [
      '50 calls per second, and at most 100 at once after a pause',
      '5,000,000 credits per day',
      'networks: a, b, c, d',
    ],
  );
  assert.deepEqual(describeLimits({}), []);
});

test('a change has only the settings that differ, and null for removed ones', () => {
  const before = {
    networks: ['a'],
    rate: { perSecond: 5, burst: 5 },
    dailyCredits: 7,
    secret: true,
  } as const;
  const same = { networks: ['a'], rate: { perSecond: 5, burst: 5 }, dailyCredits: 7 };
  assert.deepEqual(compareSettings(before, same), {});
  assert.deepEqual(compareSettings(before, { networks: ['a', 'b'], methods: ['eth_call'] }), {
    networks: ['a', 'b'],
    rate: null,
    dailyCredits: null,
    methods: ['eth_call'],
  });
});

test('the chart of calls begins on the first day that is reported', () => {
  const span = findSpan(Date.UTC(2026, 10, 30, 23, 59));
  assert.deepEqual(span, { from: '2026-11-01', to: '2026-11-30' });
  const { total, chart } = describeCalls(
    [
      { day: '2026-11-30', calls: 7 },
      { day: '2026-11-27', calls: 1_000 },
    ],
    span,
  );
  assert.equal(total, 1_007);
  assert.deepEqual(
    chart.lines[0]?.map(({ value }) => value),
    [1_000, 0, 0, 7],
  );
  assert.equal(
    chart.label,
    'Calls per day from 2026-11-27 to 2026-11-30: 1,007 in total, at most 1,000 on a day, 7 today',
  );
  const none = describeCalls([], span);
  assert.equal(none.chart.label, 'No calls counted from 2026-11-01 to 2026-11-30');
});

test('fields of limits accept what an administrator types, and name the expected form otherwise', () => {
  assert.deepEqual(listKind('').parse(' eth_call,eth_getLogs\neth_chainId, '), [
    'eth_call',
    'eth_getLogs',
    'eth_chainId',
  ]);
  assert.deepEqual(listKind('', '', /[,\n]+/).parse('My App, other'), ['My App', 'other']);
  assert.equal(numberKind('', true).parse('5,000_000'), 5_000_000);
  assert.equal(numberKind('', false).parse('0.5'), 0.5);
  for (const text of ['0', '-1', '1.5', 'many'])
    assert.throws(() => numberKind('', true).parse(text), /whole number/);
  assert.equal(timeKind('').parse('2027-01-31'), '2027-01-31T00:00:00.000Z');
  for (const text of ['31.1.2027', '2027-13-01', 'soon', '2027-01-31T12:00'])
    assert.throws(() => timeKind('').parse(text), /expected a date such as/);
});
