/** Reports of usage over a mocked clock. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UsageCounter } from '../../../src/observe/usage-counter.ts';
import { REPORT_MS } from '../../../src/shared-store/reports/report-outbox.ts';
import { UsageLedger } from '../../../src/shared-store/usage/usage-ledger.ts';
import { MAX_REPORT_ROWS } from '../../../src/shared-store/usage/usage-table.ts';
import { DAY_MS } from '../../../src/util/utc-day.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemoryUsageTable } from './memory-usage-table.ts';

const NOON = Date.parse('2026-11-30T12:00:00Z');
const DAY = Math.floor(NOON / DAY_MS);

/** A clock, and processes that share a table. */
function setUp() {
  const table = new MemoryUsageTable();
  const clock = new FakeClock();
  const lost: number[] = [];
  let skipped = 0;
  const openProcess = () => {
    const source = new UsageCounter();
    const usage = source.open('mainnet', 'eth_call');
    const ledger = new UsageLedger({
      table: table.open(),
      source,
      clock,
      wallTime: () => NOON + clock.now() + skipped,
      onLost: (calls) => void lost.push(calls),
    });
    const count = (calls: number, key = 'a'): void => {
      for (let call = 0; call < calls; call++) usage.count(key, 26, false);
    };
    return { ledger, count };
  };
  /** Advances to the next day, and to the next report. */
  const nextDay = async (): Promise<void> => {
    skipped += DAY_MS;
    await clock.advance(REPORT_MS);
  };
  return { table, clock, lost, openProcess, nextDay };
}

describe('reports of usage', () => {
  it('are sent once an interval, and at the end', async () => {
    const { table, clock, lost, openProcess } = setUp();
    const [one, two] = [openProcess(), openProcess()];
    one.count(3);
    two.count(4);
    assert.equal(table.countCalls(DAY), 0);
    await clock.advance(REPORT_MS);
    assert.equal(table.countCalls(DAY), 7);
    await clock.advance(5 * REPORT_MS);
    assert.deepEqual(table.sizes, [1, 1]);
    one.count(2);
    two.count(1, 'b');
    await one.ledger.close();
    assert.equal(table.countCalls(DAY), 9);
    await two.ledger.close();
    assert.equal(table.countCalls(DAY), 10);
    assert.deepEqual(lost, []);
    assert.equal(clock.pending, 0);
  });

  it('are repeated after a report with unknown outcome, and count once', async () => {
    const { table, clock, openProcess } = setUp();
    const { ledger, count } = openProcess();
    table.isMute = true;
    count(3);
    await clock.advance(REPORT_MS);
    count(2);
    await clock.advance(4 * REPORT_MS);
    assert.equal(table.countCalls(DAY), 3);
    table.isMute = false;
    await clock.advance(2 * REPORT_MS);
    assert.equal(table.countCalls(DAY), 5);
    await ledger.close();
    assert.equal(table.countCalls(DAY), 5);
  });

  it('have at most a number of rows, and follow each other', async () => {
    const { table, clock, openProcess } = setUp();
    const { count } = openProcess();
    for (let key = 0; key < 2 * MAX_REPORT_ROWS + 1; key++) count(1, `key ${key}`);
    await clock.advance(2 * REPORT_MS - 1);
    assert.deepEqual(table.sizes, [MAX_REPORT_ROWS, MAX_REPORT_ROWS, 1]);
  });

  it('count calls on their day, however long the table was away', async () => {
    const { table, clock, lost, openProcess, nextDay } = setUp();
    const { ledger, count } = openProcess();
    table.isAway = true;
    for (let day = 0; day < 3; day++) {
      count(day + 1);
      await clock.advance(REPORT_MS);
      count(10);
      await nextDay();
    }
    count(100);
    table.isAway = false;
    await ledger.close();
    assert.deepEqual(
      [0, 1, 2, 3].map((day) => table.countCalls(DAY + day)),
      [11, 12, 13, 100],
    );
    assert.deepEqual(lost, []);
  });

  it('count every call after weeks without a table', async () => {
    const { table, openProcess, nextDay } = setUp();
    const { ledger, count } = openProcess();
    table.isAway = true;
    for (let day = 0; day < 12; day++) {
      count(1);
      await nextDay();
    }
    table.isAway = false;
    await ledger.close();
    const days = Array.from({ length: 13 }, (_, day) => table.countCalls(DAY + day));
    assert.deepEqual(days, [1, 1, 1, 1, 1, 1, 1, 1, 4, 0, 0, 0, 0]);
  });

  it('that cannot be sent at the end are lost, and their number is known', async () => {
    const { table, clock, lost, openProcess, nextDay } = setUp();
    const { ledger, count } = openProcess();
    table.isAway = true;
    count(5);
    await nextDay();
    count(6);
    await clock.advance(REPORT_MS);
    count(7);
    await ledger.close();
    assert.deepEqual(lost, [18]);
  });
});
