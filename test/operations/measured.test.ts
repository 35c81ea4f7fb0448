/** Scenarios that only measure speed: here they must complete without failures. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureSlowClients } from '../../bench/support/slow-clients.ts';
import { measureWatchedCost } from './watched-cost.ts';

test('requests are answered while other clients hold connections idle or send slowly', async () => {
  const options = { rounds: 1, roundMs: 500, idle: 200, lorises: 20, perSecond: 100, isMeasured: false };
  const { alone, beside } = await measureSlowClients(options);
  for (const { answered, failed, failure } of [...alone, ...beside]) {
    assert.equal(failed, 0, failure);
    assert.equal(answered, 50);
  }
});

test('requests are answered with keys, limits, metrics and logs, and without them', async () => {
  const results = await measureWatchedCost(1, 200);
  assert.equal(results.length, 3);
  for (const { on, off } of results) {
    for (const rate of [...on, ...off]) assert.ok(rate > 0);
  }
});
