import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findRedisProgram, NO_REDIS_REASON } from '../support/redis.ts';
import { countFailures, describeFailures } from './load/plan.ts';
import { runOutage } from './server-outage.ts';

const skip = findRedisProgram() === undefined && NO_REDIS_REASON;
test('known keys are admitted and limits hold while Valkey is down for three seconds, and it is used again afterwards', {
  skip,
}, async () => {
  const calm = { ms: 500, untilSeen: true };
  const outcome = await runOutage({ before: calm, away: { ...calm, ms: 3_000 }, after: calm });
  const { before, away, after, strangerStatuses, recoveryMs, revocationMs } = outcome;
  for (const reports of [before, away, after]) {
    assert.equal(countFailures(reports), 0, describeFailures(reports));
    for (const { name, right } of reports) assert.ok(right > 0, name);
    const limited = reports.filter(({ name }) => name.startsWith('limited'));
    assert.ok(limited.every((report) => report.limited > 0));
  }
  assert.deepEqual(strangerStatuses, [503, 503]);
  assert.ok(Number.isFinite(recoveryMs) && Number.isFinite(revocationMs));
});
