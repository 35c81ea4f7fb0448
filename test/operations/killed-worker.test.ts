import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runKilledWorker } from './killed-worker.ts';
import { countFailures, describeFailures } from './load/plan.ts';

test('a killed worker fails only its requests in progress, at most one per connection', async () => {
  const [outcome] = await runKilledWorker('closed loop', 1);
  assert.ok(outcome !== undefined);
  const { before, kill, after, connections, processes } = outcome;
  const calm = [...before, ...after];
  assert.equal(countFailures(calm), 0, describeFailures(calm));
  assert.equal(processes.length, 2);
  const broken = kill.reduce((sum, report) => sum + report.broken, 0);
  assert.ok(broken <= connections, `${broken} of ${connections}`);
  // At most one request fails per connection.
  const http = kill.filter(({ name }) => name === 'http');
  assert.ok(countFailures(http) <= broken, describeFailures(http));
  for (const { right } of after) assert.ok(right > 0);
});
