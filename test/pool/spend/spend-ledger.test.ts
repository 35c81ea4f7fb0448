/** Spent credits of processes over a mocked clock. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type UpstreamOptions, upstreamsSchema } from '../../../src/pool/options.ts';
import { createBudgetLog } from '../../../src/pool/spend/log-budgets.ts';
import type { Spend } from '../../../src/pool/spend/spend.ts';
import { SpendLedger } from '../../../src/pool/spend/spend-ledger.ts';
import { REPORT_MS } from '../../../src/shared-store/reports/report-outbox.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemorySpendTable } from './memory-spend-table.ts';

const NOON = Date.parse('2026-11-30T12:00:00Z');
const HOUR_MS = 3_600_000;

const rowOf = (budget?: object): UpstreamOptions => {
  const url = 'https://node.example.org';
  const row = { url, credits: { default: 10, eth_getLogs: 75 }, ...(budget && { budget }) };
  return upstreamsSchema.parse([row])[0] as UpstreamOptions;
};

/** A clock, and processes that share a table. */
function setUp() {
  const table = new MemorySpendTable();
  const clock = new FakeClock();
  const openProcess = (): SpendLedger =>
    new SpendLedger({ table: table.open(), clock, wallTime: () => NOON + clock.now() });
  return { table, clock, openProcess };
}

function open(ledger: SpendLedger, name: string, budget?: object): Spend {
  const spend = ledger.open('mainnet', name, rowOf(budget));
  assert.ok(spend);
  return spend;
}

describe('spend', () => {
  it('has no count for a node without prices', () => {
    const { openProcess, clock } = setUp();
    const row = upstreamsSchema.parse(['https://node.example.org'])[0] as UpstreamOptions;
    assert.equal(openProcess().open('mainnet', 'own', row), undefined);
    assert.equal(clock.pending, 0);
  });

  it('is used up at the budget, and free again after the reset', async () => {
    const { openProcess, clock } = setUp();
    const spend = open(openProcess(), 'hosted', { credits: 100, per: 'day' });
    spend.charge(90);
    assert.equal(spend.isUsedUp, false);
    spend.charge(spend.priceOf('eth_call'));
    assert.equal(spend.isUsedUp, true);
    assert.equal(spend.isBarred, false);
    assert.equal(spend.reason, 'has used up its budget of 100 credits until 2026-12-01 00:00 UTC');
    await clock.advance(12 * HOUR_MS - 1);
    assert.equal(spend.isUsedUp, true);
    await clock.advance(REPORT_MS);
    assert.equal(spend.isUsedUp, false);
    const { credits, remaining, from } = spend.describe();
    assert.deepEqual([credits, remaining, from], [0, 100, Date.parse('2026-12-01')]);
    assert.equal(spend.total, 100);
  });

  it('has one log line in each period in which the budget is used up', async () => {
    const { openProcess, clock } = setUp();
    const lines: unknown[] = [];
    const note = createBudgetLog('mainnet', { warn: (...words: unknown[]) => void lines.push(words) });
    const spend = open(openProcess(), 'hosted', { credits: 100, per: 'day', hard: true });
    note({ name: 'hosted', spend });
    spend.charge(100);
    for (let poll = 0; poll < 3; poll++) note({ name: 'hosted', spend });
    const line = (until: string): unknown => [
      { network: 'mainnet', upstream: 'hosted', budget: 100, until },
      'the budget of the upstream is used up: it gets no calls of clients until the budget begins again',
    ];
    assert.deepEqual(lines, [line('2026-12-01 00:00 UTC')]);
    await clock.advance(12 * HOUR_MS + REPORT_MS);
    note({ name: 'hosted', spend });
    assert.equal(lines.length, 1);
    spend.charge(100);
    for (let poll = 0; poll < 3; poll++) note({ name: 'hosted', spend });
    assert.deepEqual(lines[1], line('2026-12-02 00:00 UTC'));
    assert.equal(lines.length, 2);
  });

  it('bars a node with a hard budget', () => {
    const { openProcess } = setUp();
    const spend = open(openProcess(), 'hosted', { credits: 100, hard: true });
    spend.charge(99);
    assert.equal(spend.isBarred, false);
    spend.charge(1);
    assert.equal(spend.isBarred, true);
  });

  it('is shared by processes after a report, and exact after they are closed', async () => {
    const { table, openProcess, clock } = setUp();
    const ledgers = [openProcess(), openProcess()];
    const [one, two] = ledgers.map((ledger) => open(ledger, 'hosted', { credits: 100 })) as [Spend, Spend];
    one.charge(60);
    two.charge(40);
    assert.deepEqual([one.isUsedUp, two.isUsedUp], [false, false]);
    // Each process reads the credits of the other with its own next report.
    await clock.advance(6 * REPORT_MS);
    assert.deepEqual([one.isUsedUp, two.isUsedUp], [true, true]);
    one.charge(1);
    two.charge(2);
    for (const ledger of ledgers) await ledger.close();
    assert.deepEqual(table.list('node/mainnet/hosted'), [
      { day: Date.parse('2026-11-30') / 86_400_000, credits: 103 },
    ]);
    const restarted = open(openProcess(), 'hosted', { credits: 200 });
    assert.equal(restarted.describe().remaining, 97);
  });

  it('counts a report of unknown outcome once, and loses nothing while the table is unavailable', async () => {
    const { table, openProcess, clock } = setUp();
    const ledger = openProcess();
    const spend = open(ledger, 'hosted');
    table.isMute = true;
    spend.charge(5);
    await clock.advance(3 * REPORT_MS);
    table.isMute = false;
    table.isAway = true;
    spend.charge(7);
    await clock.advance(3 * REPORT_MS);
    assert.equal(spend.describe().credits, 12);
    table.isAway = false;
    await ledger.close();
    assert.equal(table.list('node/mainnet/hosted')[0]?.credits, 12);
    assert.equal(spend.describe().credits, 12);
  });

  it('belongs to its own day and period though the table was away over the reset', async () => {
    const { table, openProcess, clock } = setUp();
    const ledger = openProcess();
    const spend = open(ledger, 'hosted', { credits: 100, per: 'day' });
    await clock.advance(REPORT_MS);
    table.isAway = true;
    spend.charge(60);
    await clock.advance(2 * REPORT_MS);
    spend.charge(40);
    assert.equal(spend.isUsedUp, true);
    await clock.advance(12 * HOUR_MS);
    assert.deepEqual([spend.isUsedUp, spend.describe().credits], [false, 0]);
    spend.charge(7);
    table.isAway = false;
    await ledger.close();
    const today = Date.parse('2026-12-01') / 86_400_000;
    assert.deepEqual(table.list('node/mainnet/hosted'), [
      { day: today - 1, credits: 100 },
      { day: today, credits: 7 },
    ]);
    assert.equal(spend.describe().credits, 7);
  });

  it('is one sum for all nodes of an account', () => {
    const { openProcess } = setUp();
    const ledger = openProcess();
    const budget = { credits: 100, account: 'team' };
    const a = open(ledger, 'a', budget);
    const b = ledger.open('sepolia', 'b', rowOf(budget)) as Spend;
    a.charge(70);
    b.charge(30);
    assert.deepEqual([a.isUsedUp, b.isUsedUp], [true, true]);
    assert.deepEqual([a.describe().credits, a.describe().remaining], [70, 0]);
  });

  it('continues under a changed budget after a reload', async () => {
    const { openProcess, clock } = setUp();
    const ledger = openProcess();
    const before = open(ledger, 'hosted', { credits: 50 });
    before.charge(60);
    const after = open(ledger, 'hosted', { credits: 100 });
    assert.equal(before.isUsedUp, true);
    ledger.apply();
    assert.equal(after.isUsedUp, false);
    before.close();
    await clock.advance(10 * REPORT_MS);
    assert.equal(after.isUsedUp, false);
    after.charge(40);
    assert.equal(after.isUsedUp, true);
  });

  it('has the budget and the credits of before after a reload that is refused', async () => {
    const { openProcess, clock } = setUp();
    const ledger = openProcess();
    const budget = { credits: 100, account: 'team' };
    const spend = open(ledger, 'hosted', budget);
    ledger.apply();
    spend.charge(60);
    await clock.advance(REPORT_MS);
    const before = spend.describe();
    const refused = open(ledger, 'hosted', { ...budget, credits: 50, per: 'day', hard: true });
    assert.deepEqual([spend.isUsedUp, spend.isBarred, spend.describe()], [false, false, before]);
    refused.close();
    await clock.advance(6 * REPORT_MS);
    assert.deepEqual([spend.isUsedUp, spend.describe()], [false, before]);
    spend.charge(40);
    assert.equal(spend.isUsedUp, true);
  });
});
