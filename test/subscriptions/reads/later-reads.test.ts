/** The short form of `npm run check -- reads`. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findRedisProgram, NO_REDIS_REASON, startRedis } from '../../support/redis.ts';
import { type LaterReadsOptions, runLaterReads } from './later-reads.ts';

const RECEIPTS = 60;

async function check(options: Omit<LaterReadsOptions, 'receipts'>): Promise<void> {
  const { receipts, reads, older, refused } = await runLaterReads({ receipts: RECEIPTS, ...options });
  assert.deepEqual(older, []);
  assert.deepEqual(refused, []);
  assert.ok(receipts >= RECEIPTS && reads >= 3 * receipts);
}

describe("reads after a receipt are never older than the receipt's block", () => {
  for (const workers of [1, 2, 3]) test(`with ${workers} workers`, () => check({ workers }));

  test('with three replicas of one node each', {
    skip: findRedisProgram() === undefined && NO_REDIS_REASON,
  }, async (t) => {
    const server = await startRedis();
    t.after(() => server.close());
    await check({ workers: 1, replicas: { count: 3, server } });
  });
});
