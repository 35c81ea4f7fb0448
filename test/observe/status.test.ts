import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mergeStatus } from '../../src/observe/merge-status.ts';
import type { StatusReport } from '../../src/observe/status-report.ts';
import { findPercentile, Traffic } from '../../src/observe/traffic.ts';

const SECOND = 1_700_000_000;

test('a percentile is at most a fifth above the exact one, also across processes', () => {
  const samples = fc.array(fc.double({ min: 0.05, max: 60_000, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(samples, samples, fc.constantFrom(0.5, 0.9, 0.99), (one, other, share) => {
      const lists = [one, other].map((list) => {
        const traffic = new Traffic();
        for (const [i, ms] of list.entries()) traffic.record(ms, false, SECOND + (i % 3));
        return traffic.list(SECOND + 3);
      });
      const sorted = [...one, ...other].sort((a, b) => a - b);
      const exact = sorted[Math.ceil(share * sorted.length) - 1] as number;
      const found = findPercentile(lists.flat(), share) as number;
      assert.ok(found >= exact * 0.999 && found <= exact * 1.2, `${found} for ${exact}`);
    }),
  );
});

test('seconds are dropped after two minutes, and a new second starts empty', () => {
  const traffic = new Traffic();
  traffic.record(1, true, SECOND);
  traffic.record(1, false, SECOND + 60);
  assert.deepEqual(
    traffic.list(SECOND + 119).map(({ second, calls, faults }) => [second - SECOND, calls, faults]),
    [
      [0, 1, 1],
      [60, 1, 0],
    ],
  );
  assert.equal(traffic.list(SECOND + 120).length, 1);
  traffic.record(1, false, SECOND + 120);
  assert.deepEqual(
    traffic.list(SECOND + 120).map(({ second, calls, faults }) => [second - SECOND, calls, faults]),
    [
      [60, 1, 0],
      [120, 1, 0],
    ],
  );
});

function makeReport(pid: number, calls: number, head: number): StatusReport {
  const traffic = new Traffic();
  for (let i = 0; i < calls; i++) traffic.record(pid * 10, i === 0, SECOND - 1);
  traffic.record(5_000, false, SECOND);
  return {
    version: '1.2.3',
    at: SECOND * 1_000 + pid,
    process: {
      pid,
      startedAt: 1_000 + pid,
      isDraining: false,
      connections: 1,
      webSockets: 0,
      inFlight: 0,
      queued: 0,
      eventLoopDelay: 1,
      residentBytes: 1,
      heapBytes: 1,
    },
    networks: [
      {
        name: 'main',
        hosts: ['main.localhost'],
        source: 'upstream',
        head: { number: head, hash: `0x${head}`, timestamp: 1 },
        upstreams: [{ name: 'first', state: head > 6 ? 'up' : 'lagging' }],
        subscriptions: { open: pid, sent: 10 * pid, ...(pid === 2 && { lag: 4 }) },
        seconds: traffic.list(SECOND),
      },
    ],
    cache: { hits: 1, misses: 2, bytes: 3 },
    keys: [
      { id: 'shared', name: 'shared', calls, credits: calls, limited: 1 },
      { id: `own${pid}`, name: 'own', calls: 1, credits: 1, limited: 0 },
    ],
    errors: [{ at: 100 * pid, network: 'main', method: 'eth_call', error: 'internal', count: pid }],
  };
}

test('reports of several processes are merged into one status', () => {
  const status = mergeStatus([makeReport(1, 30, 7), makeReport(2, 10, 6)]);
  assert.equal(status.startedAt, 1_001);
  assert.deepEqual(
    status.processes.map(({ pid }) => pid),
    [1, 2],
  );
  assert.deepEqual(status.networks[0]?.subscriptions, { open: 3, sent: 30, lag: 4 });
  assert.deepEqual(status.cache, { hits: 2, misses: 4, bytes: 6 });
  assert.deepEqual(
    status.keys.map(({ id, calls, limited }) => [id, calls, limited]),
    [
      ['shared', 40, 2],
      ['own1', 1, 0],
      ['own2', 1, 0],
    ],
  );
  assert.deepEqual(status.errors, [
    { at: 200, network: 'main', method: 'eth_call', error: 'internal', count: 3 },
  ]);
  const [main] = status.networks;
  assert.equal(status.networks.length, 1);
  assert.equal(main?.head?.number, 7);
  assert.equal(main?.upstreams[0]?.state, 'up');
  // The current second, which is not over, does not count.
  assert.equal(main?.traffic.callsPerSecond, 4);
  assert.equal(main?.traffic.errorsPerSecond, 0.2);
  assert.ok((main?.traffic.p50 ?? 0) >= 10 && (main?.traffic.p50 ?? 0) < 12);
  assert.ok((main?.traffic.p99 ?? 0) >= 20 && (main?.traffic.p99 ?? 0) < 24);
  assert.equal(status.traffic.length, 119);
  assert.equal(status.traffic.at(-1)?.callsPerSecond, 40);
  assert.equal(status.traffic.at(-1)?.at, (SECOND - 1) * 1_000);
  assert.deepEqual(status.traffic.at(-2), {
    at: (SECOND - 2) * 1_000,
    callsPerSecond: 0,
    errorsPerSecond: 0,
  });
});
