import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockLogs } from '../../src/feed/block-logs.ts';
import { DEFAULT_FEED_LIMITS } from '../../src/feed/limits.ts';
import { FakeClock } from '../support/fake-clock.ts';

test('block logs are cached for twice as many blocks as the window has', async () => {
  const reads: string[] = [];
  const getBlockLogs = async (hash: string): Promise<readonly []> => {
    reads.push(hash);
    return [];
  };
  const logs = new BlockLogs({ getBlockLogs }, new FakeClock(), { ...DEFAULT_FEED_LIMITS, windowBlocks: 4 });
  const hashes = Array.from({ length: 9 }, (_, number) => `0x${number}`);
  for (const hash of hashes) await logs.read(hash, true);
  assert.deepEqual(reads, hashes);
  for (const hash of hashes.slice(1)) assert.notEqual(logs.findCached(hash), undefined, hash);
  assert.equal(logs.findCached('0x0'), undefined);
});
