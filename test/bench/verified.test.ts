/** Short form of the calls part of bench verified: both sides give the same answers, and the output names the measurements. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANVIL_SKIP } from '../support/anvil.ts';
import { runBench } from '../support/run-bench.ts';

const SHORT = {
  PARTS: 'calls',
  CALL_ROUNDS: '1',
  CALL_ROUND_MS: '200',
  DELAYS: '1',
  FIRST_CALLS: '1',
} as const;

test('bench verified compares and measures calls executed here and at the node', {
  skip: ANVIL_SKIP,
}, async () => {
  const output = await runBench('verified', [], SHORT);
  assert.match(output, /^calls at 1 ms .*\npassed on .*\nexecuted here /m);
  assert.match(output, /^calls and balances at 1 ms .*\npassed on .*\nexecuted here /m);
  assert.match(output, /^quote, executed here .* [1-8] +[1-8]$/m);
  const executed = /executions_total\{[^}]*outcome="here"[^}]*\} (\d+)/.exec(output)?.[1];
  // The comparisons alone execute 16 calls of each of three kinds, before and after the load.
  assert.ok(Number(executed) >= 2 * 3 * 16, `${executed} calls were executed here`);
  assert.match(output, /calls at 1 ms: requests saved [\d.]+, .*; (targets met|MISSED: )/);
});
