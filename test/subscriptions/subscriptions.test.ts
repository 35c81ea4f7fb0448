/** The short form of `npm run check -- subscriptions` with scripted nodes, so that it needs no optional program. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_FAULTS } from './clients/follower.ts';
import { runDisturbances } from './run.ts';

test('subscribers receive every block and log once and in order through 20 disturbances', async () => {
  const report = await runDisturbances({
    nodes: 'scripted',
    disturbances: 20,
    seed: 16,
    subscribers: 10,
    replicas: 1,
    pauseMs: 250,
    say: () => {},
  });
  assert.deepEqual(report.faults, NO_FAULTS, report.complaints.join('\n'));
  assert.ok(report.polled.changes > 0);
  assert.ok(report.orphans > 0);
  assert.ok(report.connections > 4);
  assert.ok(report.notifications > 40 * 10);
});
