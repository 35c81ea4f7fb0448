/** Short forms of the measurements in `run-operations.ts`: only counts matter, and it takes longer on a slow machine. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findRedisProgram, NO_REDIS_REASON } from '../support/redis.ts';
import { countFailures, describeFailures } from './load/plan.ts';
import { runNoisyNeighbour } from './noisy-neighbour.ts';

const PLACES = [
  { workers: 1, limits: 'folder', skip: false },
  { workers: 2, limits: 'server', skip: findRedisProgram() === undefined && NO_REDIS_REASON },
] as const;

describe('one key that sends ten times its rate', () => {
  for (const { workers, limits, skip } of PLACES) {
    test(`is refused with ${workers} processes and limits in a ${limits}, and no other key is`, {
      skip,
    }, async () => {
      // Rate of the other clients, so low that none of them can be refused.
      const round = { ms: 700, untilSeen: true };
      const options = { rounds: 1, round, workers, limits, perSecond: 20, politeShare: 0.1 };
      const { alone, beside, noisy } = await runNoisyNeighbour(options);
      const polite = [...alone, ...beside].flat();
      assert.equal(countFailures(polite), 0, describeFailures(polite));
      assert.equal(countFailures(noisy), 0, describeFailures(noisy));
      assert.ok(polite.every(({ right }) => right > 0));
      for (const { right, limited } of noisy) assert.ok(right > 0 && limited > 0, `${right}, ${limited}`);
    });
  }
});
