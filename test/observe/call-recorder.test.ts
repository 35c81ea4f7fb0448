import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CallRecorder } from '../../src/observe/call-recorder.ts';
import type { CallSource } from '../../src/observe/call-report.ts';
import { DURATION_BOUNDS, Histogram } from '../../src/observe/histogram.ts';
import { KeyUsage } from '../../src/observe/key-usage.ts';

const CALLER = { id: 'k1', name: 'first' };
const FAULTS = new Set(['internal']);

test('calls are counted by network, method, outcome and source', () => {
  const labels = fc.record({
    network: fc.constantFrom('a', 'b'),
    method: fc.constantFrom('eth_call', 'eth_chainId', 'unknown'),
    outcome: fc.constantFrom('ok', 'internal', 'busy'),
    source: fc.constantFrom<CallSource>('embedded', 'upstream', 'cache', 'local'),
    ms: fc.double({ min: 0, max: 100_000, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(labels), (calls) => {
      const recorder = new CallRecorder(FAULTS);
      const expected = new Map<string, { count: number; sum: number }>();
      for (const { network, method, outcome, source, ms } of calls) {
        recorder.onCall(network, method, outcome, source, ms, CALLER, 1, performance.now());
        const name = `${network} ${method} ${outcome} ${source}`;
        const { count, sum } = expected.get(name) ?? { count: 0, sum: 0 };
        expected.set(name, { count: count + 1, sum: sum + ms / 1_000 });
      }
      const series = [...recorder.table.list()];
      assert.equal(series.length, expected.size);
      for (const { network, method, outcome, source, seconds, isFault } of series) {
        const { count, sum } = expected.get(`${network} ${method} ${outcome} ${source}`) ?? {};
        assert.equal(seconds.count, count);
        assert.ok(Math.abs(seconds.sum - (sum ?? 0)) < 1e-6);
        assert.equal(isFault, outcome === 'internal');
      }
      const faults = calls.filter(({ outcome }) => outcome === 'internal').length;
      assert.equal(
        recorder.errors.list().reduce((total, { count }) => total + count, 0),
        faults,
      );
      assert.equal(recorder.keys.list()[0]?.calls ?? 0, calls.length);
    }),
    { numRuns: 50 },
  );
});

test('a histogram counts a value below the first bound that is not less', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 100, noNaN: true }), (value) => {
      const histogram = new Histogram(DURATION_BOUNDS);
      histogram.record(value);
      const bucket = DURATION_BOUNDS.findIndex((bound) => value <= bound);
      assert.equal(histogram.counts[bucket < 0 ? DURATION_BOUNDS.length : bucket], 1);
      assert.equal(histogram.count, 1);
    }),
  );
});

test('the number of methods per network is bounded', () => {
  const recorder = new CallRecorder(FAULTS);
  for (let i = 0; i < 5_000; i++) {
    recorder.onCall('a', `method_${i}`, 'ok', 'upstream', 1, CALLER, 1, performance.now());
  }
  const series = [...recorder.table.list()];
  assert.ok(series.length <= 513);
  assert.equal(
    series.reduce((total, { seconds }) => total + seconds.count, 0),
    5_000,
  );
});

test('the number of keys is bounded, and the least recently used key is evicted', () => {
  const usage = new KeyUsage(3);
  for (const id of ['a', 'b', 'c', 'a', 'd']) usage.count({ id, name: id }, 2);
  usage.countLimited('a');
  assert.deepEqual(
    usage
      .list()
      .map(({ id, calls, credits, limited }) => [id, calls, credits, limited])
      .sort(),
    [
      ['a', 2, 4, 1],
      ['c', 1, 2, 0],
      ['d', 1, 2, 0],
    ],
  );
});

test('the number of error kinds is bounded, and the newest is listed first', () => {
  const { errors } = new CallRecorder(FAULTS);
  for (let i = 0; i < 500; i++) errors.note('a', `m${i}`, 'internal', i);
  errors.note('a', 'm450', 'internal', 1_000);
  const list = errors.list();
  assert.equal(list.length, 100);
  assert.deepEqual(list[0], { at: 1_000, network: 'a', method: 'm450', error: 'internal', count: 2 });
});

test('refusals are counted by reason, bound and key', () => {
  const recorder = new CallRecorder(FAULTS);
  recorder.onLimited('rate', 'key.rate', 'a', 'k1');
  recorder.onLimited('rate', 'key.rate', 'a', 'k1');
  recorder.onLimited('auth', undefined);
  assert.deepEqual(
    [...recorder.limited],
    [
      ['a', [{ reason: 'rate', bound: 'key.rate', count: 2 }]],
      ['unknown', [{ reason: 'auth', bound: undefined, count: 1 }]],
    ],
  );
  assert.equal(recorder.keys.list()[0]?.limited, 2);
});

test('calls are assigned to seconds by the clock that was set last', () => {
  const recorder = new CallRecorder(FAULTS);
  recorder.setClock(1_700_000_000_000);
  recorder.onCall('a', 'eth_call', 'ok', 'upstream', 1, CALLER, 1, performance.now() + 500);
  recorder.onCall('a', 'eth_call', 'ok', 'upstream', 1, CALLER, 1, performance.now() + 1_500);
  assert.deepEqual(
    recorder
      .trafficOf('a')
      .list(1_700_000_001)
      .map(({ second, calls }) => [second, calls]),
    [
      [1_700_000_000, 1],
      [1_700_000_001, 1],
    ],
  );
});
