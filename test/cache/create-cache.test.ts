import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCache } from '../../src/cache/create-cache.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { findFreePort } from '../support/redis.ts';
import { waitUntil } from '../support/wait-until.ts';
import { makeKey } from './keys.ts';

const KEY = makeKey(1, 'a');

function createLog(): { readonly lines: string[]; readonly log: ReturnType<typeof createLogger> } {
  const lines: string[] = [];
  return { lines, log: createLogger('debug', { sink: { write: (line) => lines.push(line) } }) };
}

test('stores answers in memory', async () => {
  const cache = await createCache({ memoryBytes: 1_000_000, entryBytes: 10_000 }, createLog().log);
  cache.set(KEY, '1');
  assert.equal(cache.get(KEY), '1');
  cache.evictBlock(KEY.blockHash);
  assert.equal(cache.get(KEY), undefined);
  await cache.close();
});

test('stores nothing without memory and server', async () => {
  const cache = await createCache({ memoryBytes: 0, entryBytes: 10_000 }, createLog().log);
  cache.set(KEY, '1');
  assert.equal(cache.get(KEY), undefined);
  await cache.close();
});

test('an unreachable server does not affect the memory cache, and is logged in few lines without its address', async () => {
  const { lines, log } = createLog();
  const port = await findFreePort();
  const redis = { url: `redis://me:secret@127.0.0.1:${port}`, timeLimit: 5, ttl: 60_000, prefix: 'test' };
  const cache = await createCache({ memoryBytes: 1_000_000, entryBytes: 10_000, redis }, log);
  await waitUntil(() => {
    cache.set(KEY, '1');
    assert.equal(cache.get(KEY), '1');
    return lines.length > 0;
  });
  await cache.close();
  for (const line of lines) {
    assert.match(line, /"fault":"unreachable"/);
    assert.doesNotMatch(line, new RegExp(`secret|127\\.0\\.0\\.1|${port}`));
  }
});
