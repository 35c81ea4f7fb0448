/** Counts of calls by key, network and method, as a process holds them between two reports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CallRecorder } from '../../src/observe/call-recorder.ts';
import { UsageCounter } from '../../src/observe/usage-counter.ts';
import type { UsageRow } from '../../src/util/usage-row.ts';

type Counts = Pick<UsageRow, 'calls' | 'refused' | 'credits'>;

function sumBy(rows: readonly UsageRow[], nameOf: (row: UsageRow) => string): Record<string, Counts> {
  const sums: Record<string, { calls: number; refused: number; credits: number }> = {};
  for (const row of rows) {
    const sum = sums[nameOf(row)] ?? { calls: 0, refused: 0, credits: 0 };
    sums[nameOf(row)] = sum;
    sum.calls += row.calls;
    sum.refused += row.refused;
    sum.credits += row.credits;
  }
  return sums;
}

const callArbitrary = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'd'),
  network: fc.constantFrom('mainnet', 'base'),
  method: fc.constantFrom('eth_call', 'eth_chainId', 'unknown'),
  outcome: fc.constantFrom('ok', 'rateLimited', 'internal'),
  credits: fc.integer({ min: 0, max: 100 }),
  /** Rows that are taken after the call. */
  taken: fc.constantFrom(0, 0, 0, 1, 2, 100),
});

test('taken rows sum to the calls that were recorded', () => {
  fc.assert(
    fc.property(fc.array(callArbitrary), (calls) => {
      const recorder = new CallRecorder(new Set(['internal']), new Set(['rateLimited']));
      const rows: UsageRow[] = [];
      for (const { key, network, method, outcome, credits, taken } of calls) {
        const caller = { id: key, name: 'a name' };
        recorder.onCall(network, method, outcome, 'local', 1, caller, credits, performance.now());
        const some = recorder.usage.take(taken);
        assert.ok(some.length <= taken);
        rows.push(...some);
      }
      rows.push(...recorder.usage.take(Number.POSITIVE_INFINITY));
      assert.deepEqual(recorder.usage.take(1), []);
      const expected = calls.map(({ outcome, ...call }) => ({
        ...call,
        calls: 1,
        refused: outcome === 'rateLimited' ? 1 : 0,
      }));
      const nameOf = ({ key, network, method }: UsageRow): string => `${key} ${network} ${method}`;
      assert.deepEqual(sumBy(rows, nameOf), sumBy(expected, nameOf));
    }),
  );
});

test('beyond the maximum of rows, further keys are counted as one', () => {
  fc.assert(
    fc.property(fc.array(callArbitrary), fc.integer({ min: 0, max: 5 }), (calls, maxRows) => {
      const counter = new UsageCounter(maxRows);
      const methods = new Map<string, ReturnType<UsageCounter['open']>>();
      for (const { key, network, method, credits } of calls) {
        const name = `${network} ${method}`;
        const usage = methods.get(name) ?? counter.open(network, method);
        methods.set(name, usage);
        usage.count(key, credits, false);
      }
      const rows = counter.take(Number.POSITIVE_INFINITY);
      assert.ok(rows.filter(({ key }) => key !== 'other').length <= maxRows);
      const expected = calls.map((call) => ({ ...call, calls: 1, refused: 0 }));
      const nameOf = ({ network, method }: UsageRow): string => `${network} ${method}`;
      assert.deepEqual(sumBy(rows, nameOf), sumBy(expected, nameOf));
      // Taken rows are free again.
      const usage = counter.open('mainnet', 'eth_call');
      for (let key = 0; key < maxRows; key++) usage.count(`key ${key}`, 1, false);
      assert.equal(counter.take(Number.POSITIVE_INFINITY).length, maxRows);
    }),
  );
});

test('surcharges have a row of their own for each key and network', () => {
  const recorder = new CallRecorder(new Set());
  const caller = { id: 'a', name: 'a name' };
  recorder.onSurcharge(caller, 7, 'mainnet');
  recorder.onSurcharge(caller, 5, 'mainnet');
  recorder.onSurcharge(caller, 3, 'base');
  const row = { key: 'a', method: 'surcharge', calls: 0, refused: 0 };
  assert.deepEqual(recorder.usage.take(10), [
    { ...row, network: 'mainnet', credits: 12 },
    { ...row, network: 'base', credits: 3 },
  ]);
});
