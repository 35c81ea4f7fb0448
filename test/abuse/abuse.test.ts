/** Short forms of the `run-abuse.ts` measurements, without latency limits: a busy machine would break those. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ABUSES } from './kinds/table.ts';
import { Session } from './session.ts';

/** Load low enough that a busy machine also answers it in time. */
const OPTIONS = { isSecure: false, priority: 'normal', pace: 0.2, hasShortTimes: false } as const;
const PLAN = { aloneMs: 100, attackMs: 700, maxRounds: 1 } as const;
const PATIENCE_MS = 60_000;

describe('abuse: other clients are answered, the abuser is charged, and the service recovers', () => {
  let session: Session;
  before(async () => {
    session = await Session.open(OPTIONS);
  });
  after(() => session.close());

  for (const abuse of ABUSES.filter(({ isShort }) => isShort === true)) {
    test(`${abuse.name}, ${abuse.transport}`, async () => {
      let ms = Math.min(abuse.ms ?? 0, 2_500) || PLAN.attackMs;
      let outcome = await session.run({ ...abuse, ms }, PLAN);
      // A busy machine may need a longer attack before a limit is reached.
      while (!outcome.charge.isCharged && ms < PATIENCE_MS) {
        ms *= 4;
        outcome = await session.run({ ...abuse, ms }, PLAN);
      }
      assert.equal(outcome.failed, 0, outcome.failures);
      assert.ok(outcome.charge.isCharged, outcome.charge.text);
      assert.equal(outcome.wrong, 0, outcome.seen);
      assert.equal(outcome.recoveryLack, undefined);
    });
  }
});
