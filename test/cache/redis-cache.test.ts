import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Redis } from 'iovalkey';
import type { CacheKey } from '../../src/cache/cache.ts';
import { createRedisCache, type RedisCache, type RedisCacheOptions } from '../../src/cache/redis-cache.ts';
import type { RedisFault } from '../../src/shared-store/redis/redis-client.ts';
import { findRedisProgram, NO_REDIS_REASON, type RedisServer, startRedis } from '../support/redis.ts';
import { waitUntil } from '../support/wait-until.ts';
import { makeKey } from './keys.ts';

const SHORT = '"0x1234"';
const LONG = `[${'{"blockHash":"0xabcdef"},'.repeat(1_000)}1]`;
/** Time limit for tests of a healthy server on a machine that may be busy. */
const PATIENT_MS = 30_000;

describe('RedisCache with a real server', {
  skip: findRedisProgram() === undefined && NO_REDIS_REASON,
}, () => {
  let server: RedisServer;
  let raw: Redis;
  let faults: RedisFault[] = [];
  const caches: RedisCache[] = [];
  let requests = 0;

  before(async () => {
    server = await startRedis();
    raw = new Redis({ host: '127.0.0.1', port: server.port });
    raw.on('error', () => {});
  });
  afterEach(async () => {
    for (const cache of caches.splice(0)) await cache.close();
    faults = [];
  });
  after(async () => {
    raw.disconnect();
    await server.close();
  });

  function open(options: Partial<RedisCacheOptions> = {}): RedisCache {
    const cache = createRedisCache({
      url: `redis://127.0.0.1:${server.port}`,
      limitMs: PATIENT_MS,
      ttlMs: 600_000,
      prefix: 'test',
      entryBytes: 1_000_000,
      onFault: (fault) => faults.push(fault),
      ...options,
    });
    caches.push(cache);
    return cache;
  }

  /** Makes a key that no test has used. */
  function makeNewKey(): CacheKey {
    return makeKey(7, `1:eth_call:${++requests}`);
  }

  /** Writes until the value can be read: the connection may not be open yet. */
  async function store(cache: RedisCache, key: CacheKey, answer: string): Promise<void> {
    await waitUntil(async () => {
      cache.set(key, answer);
      return (await cache.get(key)) === answer;
    });
  }

  async function findStoredName(): Promise<string> {
    const names = await raw.keys('*');
    assert.equal(names.length, 1);
    return names[0] as string;
  }

  test('entries written by one process are read by another', async () => {
    const key = makeNewKey();
    await store(open(), key, SHORT);
    const other = open();
    await waitUntil(async () => (await other.get(key)) === SHORT);
    assert.equal(await other.get(makeNewKey()), undefined);
    assert.equal(await other.get({ ...key, blockHash: `${key.blockHash}0` }), undefined);
    assert.deepEqual(faults, []);
  });

  test('a read value equals the written value', async () => {
    const cache = open();
    await store(cache, makeNewKey(), SHORT);
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.tuple(fc.string({ unit: 'grapheme' }), fc.nat(3_000)).map(([unit, count]) => unit.repeat(count)),
    );
    await fc.assert(
      fc.asyncProperty(text, async (answer) => {
        const key = makeNewKey();
        cache.set(key, answer);
        await waitUntil(async () => (await cache.get(key)) !== undefined);
        assert.equal(await cache.get(key), answer);
      }),
      { numRuns: 30 },
    );
  });

  test('entries are compressed, expire, and have names with a readable prefix', async () => {
    await raw.flushall();
    await store(open({ prefix: 'mine' }), makeNewKey(), LONG);
    const name = await findStoredName();
    assert.match(name, /^mine:v2:1:0x0{63}7:[\w-]{43}$/);
    assert.ok((await raw.strlen(name)) < LONG.length / 4);
    const left = await raw.pttl(name);
    assert.ok(left > 0 && left <= 600_000);
  });

  test('the entries of one chain or of all chains are removed for all processes', async () => {
    await raw.flushall();
    const mine = open({ prefix: 'mine' });
    const keys = Array.from({ length: 1_200 }, (_, i) =>
      makeKey(i, `${i % 2 === 0 ? 1 : 10}:eth_call:[${i}]`),
    );
    for (const key of keys) await store(mine, key, SHORT);
    await store(open({ prefix: 'other' }), makeKey(1, '1:eth_call:[]'), SHORT);
    assert.equal(await raw.dbsize(), 1_201);
    await open({ prefix: 'mine' }).evictChain('1');
    assert.equal(await raw.dbsize(), 601);
    assert.equal(await mine.get(keys[0] as CacheKey), undefined);
    assert.equal(await mine.get(keys[1] as CacheKey), SHORT);
    await mine.evictChain(undefined);
    assert.equal(await raw.dbsize(), 1);
  });

  test('entries above the size limit are not written', async () => {
    const cache = open({ entryBytes: 2_000 });
    const key = makeNewKey();
    await store(cache, key, 'x'.repeat(1_900));
    cache.set(key, 'y'.repeat(2_000));
    await store(cache, makeNewKey(), SHORT);
    assert.equal(await cache.get(key), 'x'.repeat(1_900));
  });

  for (const [kind, answer] of [
    ['plain', SHORT],
    ['compressed', LONG],
  ] as const) {
    test(`a ${kind} value with any byte changed or cut off is a miss`, async () => {
      await raw.flushall();
      const cache = open();
      const key = makeNewKey();
      await store(cache, key, answer);
      const name = await findStoredName();
      const frame = await raw.getBuffer(name);
      assert.ok(frame !== null);
      for (let i = 0; i < frame.length; i++) {
        const changed = Buffer.from(frame);
        changed[i] = (changed[i] as number) ^ (1 + (i % 255));
        await raw.set(name, changed);
        assert.equal(await cache.get(key), undefined, `byte ${i}`);
        await raw.set(name, frame.subarray(0, i));
        assert.equal(await cache.get(key), undefined, `cut at ${i}`);
        await raw.set(name, frame);
        assert.equal(await cache.get(key), answer);
      }
      // An empty value counts as a miss, not as a fault.
      assert.deepEqual(faults, Array(2 * frame.length - 1).fill('garbage'));
    });
  }

  test("another key's entry, a longer value and another type are misses", async () => {
    await raw.flushall();
    const cache = open({ entryBytes: 10_000 });
    const key = makeNewKey();
    await store(cache, key, SHORT);
    const name = await findStoredName();
    const frame = (await raw.getBuffer(name)) as Buffer;
    const other = makeNewKey();
    await store(cache, other, LONG.slice(0, 5_000));
    const otherName = (await raw.keys('*')).find((found) => found !== name) as string;
    for (const spoil of [
      () => raw.copy(otherName, name, 'REPLACE'),
      () => raw.set(name, Buffer.concat([frame, Buffer.alloc(5_000_000)])),
      async () => {
        await raw.del(name);
        await raw.rpush(name, frame);
      },
    ]) {
      await spoil();
      assert.equal(await cache.get(key), undefined);
      assert.equal(await cache.get(other), LONG.slice(0, 5_000));
    }
    assert.deepEqual(faults, ['garbage', 'garbage', 'refused']);
  });

  test('an unresponsive server is skipped, and used again when it responds', async () => {
    const cache = open({ limitMs: 50 });
    const key = makeNewKey();
    await store(cache, key, SHORT);
    server.freeze();
    await waitUntil(() => cache.get(key) === undefined);
    assert.ok(faults.includes('timeout'));
    cache.set(key, SHORT);
    server.thaw();
    await waitUntil(async () => (await cache.get(key)) === SHORT);
  });

  test('a killed server that restarts empty changes no answer', async () => {
    const cache = open({ limitMs: 1_000 });
    let requested = 0;
    /** Models the caller of the cache: reads it, and computes the answer after a miss. */
    async function answer(block: number): Promise<string> {
      const key = makeKey(block, '1:square');
      const cached = await cache.get(key);
      if (cached !== undefined) return cached;
      requested++;
      const result = `"${block * block}"`;
      cache.set(key, result);
      return result;
    }
    async function ask(rounds: number): Promise<void> {
      for (let i = 0; i < rounds; i++) assert.equal(await answer(i % 20), `"${(i % 20) ** 2}"`);
    }
    await waitUntil(async () => {
      await ask(40);
      return cache.hits > 0;
    });
    for (let crash = 0; crash < 3; crash++) {
      const load = ask(400);
      await server.kill();
      await load;
      const before = requested;
      await ask(40);
      assert.equal(requested, before + 40);
      await server.restart();
      const hits = cache.hits;
      await waitUntil(async () => {
        await ask(40);
        return cache.hits > hits;
      });
    }
  });

  test('a full server refuses new entries and still serves stored ones', async () => {
    const cache = open();
    const key = makeNewKey();
    await store(cache, key, SHORT);
    await raw.config('SET', 'maxmemory', '1');
    const other = makeNewKey();
    cache.set(other, SHORT);
    await waitUntil(() => faults.includes('refused'));
    assert.equal(await cache.get(other), undefined);
    assert.equal(await cache.get(key), SHORT);
    await raw.config('SET', 'maxmemory', '0');
  });
});

describe('RedisCache with a server that requires a password', {
  skip: findRedisProgram() === undefined && NO_REDIS_REASON,
}, () => {
  let server: RedisServer;

  before(async () => {
    server = await startRedis('--requirepass', 'open sesame');
  });
  after(() => server.close());

  function open(password: string, onFault: (fault: RedisFault) => void): RedisCache {
    return createRedisCache({
      url: `redis://:${encodeURIComponent(password)}@127.0.0.1:${server.port}/2`,
      limitMs: PATIENT_MS,
      ttlMs: 60_000,
      prefix: 'test',
      entryBytes: 1_000,
      onFault,
    });
  }

  test('authenticates with the right password, and misses with a wrong one', async () => {
    const key = makeKey(1, 'a');
    const right = open('open sesame', () => {});
    await waitUntil(async () => {
      right.set(key, SHORT);
      return (await right.get(key)) === SHORT;
    });
    const faults = new Set<RedisFault>();
    const wrong = open('open barley', (fault) => faults.add(fault));
    await waitUntil(async () => {
      assert.equal(await wrong.get(key), undefined);
      return faults.size > 0;
    });
    await right.close();
    await wrong.close();
  });
});
