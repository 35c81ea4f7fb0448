/** Prices of calls, and the periods of budgets. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { upstreamsSchema } from '../../../src/pool/options.ts';
import { type Budget, findPeriod } from '../../../src/pool/spend/budget.ts';
import { PriceTable } from '../../../src/pool/spend/price-table.ts';
import { describeIssue } from '../../../src/util/describe-issue.ts';
import { formatDay } from '../../../src/util/utc-day.ts';

describe('prices', () => {
  const table = new PriceTable({
    default: 20,
    eth_call: 26,
    'debug_*': 300,
    debug_traceCall: 500,
    net_version: 0,
  });
  for (const [method, credits] of [
    ['eth_call', 26],
    ['eth_getLogs', 20],
    ['debug_traceTransaction', 300],
    ['debug_traceCall', 500],
    ['net_version', 0],
    ['debug', 20],
    ['debugger_x', 20],
    ['constructor', 20],
    ['default', 20],
    ['', 20],
  ] as const) {
    it(`${method || 'an empty name'} costs ${credits}`, () => assert.equal(table.priceOf(method), credits));
  }
});

describe('periods', () => {
  const rows: readonly [Partial<Budget>, string, string, string][] = [
    [{}, '2026-11-28T10:00:00Z', '2026-11-01', '2026-12-01'],
    [{}, '2026-12-01T00:00:00Z', '2026-12-01', '2027-01-01'],
    [{}, '2026-11-30T23:59:59.999Z', '2026-11-01', '2026-12-01'],
    [{ resetDay: 15 }, '2026-01-14T23:59:59Z', '2025-12-15', '2026-01-15'],
    [{ resetDay: 15 }, '2026-01-15T00:00:00Z', '2026-01-15', '2026-02-15'],
    [{ resetDay: 31 }, '2026-02-27T12:00:00Z', '2026-01-31', '2026-02-28'],
    [{ resetDay: 31 }, '2026-02-28T00:00:00Z', '2026-02-28', '2026-03-31'],
    [{ resetDay: 30 }, '2028-02-29T00:00:00Z', '2028-02-29', '2028-03-30'],
    [{ per: 'day' }, '2026-11-28T23:59:59Z', '2026-11-28', '2026-11-29'],
  ];
  for (const [budget, time, from, until] of rows) {
    it(`${JSON.stringify(budget)} at ${time}`, () => {
      const period = findPeriod({ per: 'month', resetDay: 1, ...budget }, Date.parse(time));
      assert.deepEqual([formatDay(period.from), formatDay(period.until)], [from, until]);
    });
  }
});

describe('options of prices', () => {
  const url = 'https://node.example.org';
  const explain = (row: object): string =>
    upstreamsSchema
      .safeParse([{ url, ...row }])
      .error?.issues.map(describeIssue)
      .join() ?? 'ok';

  it('have defaults for a budget', () => {
    const [row] = upstreamsSchema.parse([{ url, credits: { default: 1 }, budget: { credits: 5 } }]);
    assert.deepEqual(row?.budget, { credits: 5, per: 'month', resetDay: 1, hard: false });
  });

  it('are refused if they would count wrongly', () => {
    assert.match(explain({ credits: { eth_call: 1 } }), /every method that has no price of its own/);
    assert.match(explain({ credits: { default: 1, 'eth_get*': 1 } }), /Invalid key/);
    assert.match(explain({ credits: { default: -1 } }), /expected.*0/);
    assert.match(explain({ budget: { credits: 5 } }), /needs credits/);
    assert.match(
      explain({ credits: { default: 1 }, budget: { credits: 5, per: 'day', resetDay: 2 } }),
      /only to a budget per month/,
    );
    assert.equal(
      explain({ credits: { default: 0, 'debug_*': 9 }, budget: { credits: 5, resetDay: 31 } }),
      'ok',
    );
  });
});
