/** Usage over the Admin API: queries, CSV and refusals. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UsageQuery } from '../../src/admin/api/usage-query.ts';
import type { UsageView } from '../../src/admin/api/usage-view.ts';
import { AdminRefusal } from '../../src/admin/refusal.ts';
import { parseDay } from '../../src/util/utc-day.ts';
import { startApi } from './api-support.ts';

const VIEW: UsageView = {
  from: '2026-11-01',
  to: '2026-11-30',
  rows: [
    {
      day: '2026-11-02',
      key: '0123456789ab',
      keyName: '@wallet',
      network: 'mainnet',
      method: 'eth_call',
      calls: 3,
      refused: 1,
      credits: 52,
    },
    {
      day: '2026-11-02',
      key: 'demo',
      network: 'mainnet',
      method: 'unknown',
      calls: 1,
      refused: 0,
      credits: 80,
    },
  ],
  total: { calls: 4, refused: 1, credits: 132 },
};

async function start(t: Parameters<typeof startApi>[0]) {
  const queries: UsageQuery[] = [];
  const api = await startApi(t, {
    sources: {
      readUsage: async (query) => {
        queries.push(query);
        return VIEW;
      },
    },
  });
  return { api, queries };
}

test('a query selects days, keys, networks and methods, and the dimensions of rows', async (t) => {
  const { api, queries } = await start(t);
  const days = 'from=2026-11-01&to=2026-11-30';
  assert.deepEqual(await api.call('GET', `/usage?${days}`), VIEW);
  await api.call('GET', `/usage?${days}&key=demo&network=mainnet&method=eth_call&by=method,day`);
  const [from, to] = [parseDay('2026-11-01'), parseDay('2026-11-30')];
  assert.deepEqual(queries, [
    { from, to, by: ['day', 'key', 'network', 'method'] },
    { from, to, key: 'demo', network: 'mainnet', method: 'eth_call', by: ['day', 'method'] },
  ]);
  const before = Math.floor(Date.now() / 86_400_000);
  await api.call('GET', '/usage');
  const { from: first = 0, to: last = 0 } = queries[2] ?? {};
  assert.equal(last - first, 29);
  assert.ok(last >= before);
});

test('CSV has a line of titles, and no cell that a spreadsheet would run', async (t) => {
  const { api } = await start(t);
  const { status, headers, body } = await api.send({ path: '/admin/v1/usage?format=csv' });
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/csv; charset=utf-8');
  assert.equal(
    body,
    [
      'day,key,keyName,network,method,calls,refused,credits',
      "2026-11-02,0123456789ab,'@wallet,mainnet,eth_call,3,1,52",
      '2026-11-02,demo,,mainnet,unknown,1,0,80',
      '',
    ].join('\n'),
  );
  const some = await api.send({ path: '/admin/v1/usage?format=csv&by=network' });
  assert.equal(some.body, 'network,calls,refused,credits\nmainnet,3,1,52\nmainnet,1,0,80\n');
});

test('queries that cannot be answered get 400 with the reason', async (t) => {
  const { api, queries } = await start(t);
  for (const [query, reason] of [
    ['from=2026-02-30', /^from: expected a day such as 2026-12-01/],
    ['to=yesterday', /^to: expected a day/],
    ['from=2026-11-02&to=2026-11-01', /^the first day 2026-11-02 is after the last day 2026-11-01$/],
    ['from=2025-01-01&to=2026-11-01', /^the query has more than 400 days: ask for fewer$/],
    ['by=key,colour', /^by: expected a list of day, key, network, method, separated by commas/],
    ['by=', /^by: expected a list/],
    ['format=xml', /^format: /],
  ] as const) {
    const { status, body } = await api.send({ path: `/admin/v1/usage?${query}` });
    assert.equal(status, 400, query);
    assert.match((JSON.parse(body) as { readonly detail: string }).detail, reason);
  }
  assert.deepEqual(queries, []);
});

test('refusals of the table reach the client', async (t) => {
  const api = await startApi(t, {
    sources: {
      readUsage: async () => {
        throw new AdminRefusal(503, 'the shared server did not return the usage of a day: try again');
      },
    },
  });
  const { status, body } = await api.send({ path: '/admin/v1/usage?format=csv' });
  assert.equal(status, 503);
  assert.match(body, /did not return the usage of a day/);
});
