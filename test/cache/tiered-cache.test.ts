import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cache, CacheKey } from '../../src/cache/cache.ts';
import { createMemoryCache, type MemoryCache } from '../../src/cache/memory-cache.ts';
import { createTieredCache } from '../../src/cache/tiered-cache.ts';
import type { CacheFigures } from '../../src/observe/sources.ts';
import { makeKey } from './keys.ts';

const KEY: CacheKey = makeKey(1, 'a');

function createNear(): MemoryCache {
  return createMemoryCache({ bytes: 1e6, entryBytes: 1e6 });
}

/** A cache that answers when the test releases it. */
class ScriptedCache implements Cache {
  readonly sets: string[] = [];
  readonly lookups: ((answer: string | undefined) => void)[] = [];
  readonly evicted: string[] = [];
  closed = false;

  get(): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.lookups.push(resolve);
    });
  }

  set(_key: CacheKey, answer: string): void {
    this.sets.push(answer);
  }

  evictBlock(blockHash: string): void {
    this.evicted.push(blockHash);
  }

  async evictChain(chainId: string | undefined): Promise<void> {
    this.evicted.push(`chain ${chainId}`);
  }

  describe(): readonly CacheFigures[] {
    return [];
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

test('near hits are answered without the far tier', () => {
  const far = new ScriptedCache();
  const cache = createTieredCache(createNear(), far);
  cache.set(KEY, '1');
  assert.equal(cache.get(KEY), '1');
  assert.deepEqual(far.sets, ['1']);
  assert.equal(far.lookups.length, 0);
});

test('a hit in the far tier is stored in the near tier', async () => {
  const far = new ScriptedCache();
  const cache = createTieredCache(createNear(), far);
  const answer = cache.get(KEY);
  far.lookups[0]?.('1');
  assert.equal(await answer, '1');
  assert.equal(cache.get(KEY), '1');
  assert.deepEqual(far.sets, []);
});

test('concurrent callers with the same key share one lookup', async () => {
  const far = new ScriptedCache();
  const cache = createTieredCache(createNear(), far);
  const answers = [cache.get(KEY), cache.get({ ...KEY }), cache.get(makeKey(1, 'b'))];
  assert.equal(far.lookups.length, 2);
  far.lookups[0]?.('1');
  far.lookups[1]?.('2');
  assert.deepEqual(await Promise.all(answers), ['1', '1', '2']);
});

test('a miss is not cached', async () => {
  const far = new ScriptedCache();
  const near = createNear();
  const cache = createTieredCache(near, far);
  const first = cache.get(KEY);
  far.lookups[0]?.(undefined);
  assert.equal(await first, undefined);
  assert.equal(near.entries, 0);
  const second = cache.get(KEY);
  far.lookups[1]?.('1');
  assert.equal(await second, '1');
});

test('a far tier that misses synchronously needs no promise', () => {
  const cache = createTieredCache(createNear(), createMemoryCache({ bytes: 0, entryBytes: 0 }));
  assert.equal(cache.get(KEY), undefined);
});

test('evicts from and closes both tiers', async () => {
  const far = new ScriptedCache();
  const near = createNear();
  const cache = createTieredCache(near, far);
  cache.set(KEY, '1');
  cache.evictBlock(KEY.blockHash);
  assert.equal(near.entries, 0);
  assert.deepEqual(far.evicted, [KEY.blockHash]);
  await cache.close();
  assert.equal(far.closed, true);
});
