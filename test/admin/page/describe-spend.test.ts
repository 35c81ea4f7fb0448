/** Credits of a node in the table of nodes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSpend } from '../../../src/admin/page/describe-spend.ts';
import type { SpendStatus } from '../../../src/observe/status.ts';

const MONTH = { from: Date.UTC(2026, 10, 1), until: Date.UTC(2026, 11, 1) };

const show = (spend?: SpendStatus): string => {
  const { text, tone } = describeSpend({ ...(spend && { spend }) });
  return tone === undefined ? text : `${text} (${tone})`;
};

test('spend is a share of the budget, or an amount without one', () => {
  const budget = { budget: 30_000_000, per: 'month', isUsedUp: false } as const;
  assert.equal(show(), '–');
  assert.equal(show({ ...MONTH, credits: 1_234_567 }), '1.2M this month');
  assert.equal(
    show({ ...MONTH, ...budget, credits: 3_600_000, remaining: 26_400_000 }),
    '12% of 30M this month',
  );
  assert.equal(
    show({ ...MONTH, ...budget, per: 'day', credits: 31e6, remaining: 0, isUsedUp: true }),
    '100% of 30M today (bad)',
  );
  const { title } = describeSpend({
    spend: { ...MONTH, ...budget, credits: 5, remaining: 1, account: 'team' },
  });
  assert.equal(
    title,
    '5 credits at this node from 2026-11-01 00:00:00 UTC to 2026-12-01 00:00:00 UTC; the budget is that of the account team',
  );
});
