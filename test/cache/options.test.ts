import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheOptionsSchema } from '../../src/cache/options.ts';

test('the memory cache is enabled by default', () => {
  assert.deepEqual(cacheOptionsSchema.parse(undefined), { memoryBytes: 33_554_432, entryBytes: 1_048_576 });
});

test('a Redis server needs only its address', () => {
  assert.deepEqual(cacheOptionsSchema.parse({ memoryBytes: 0, redis: { url: 'redis://h' } }), {
    memoryBytes: 0,
    entryBytes: 1_048_576,
    redis: { url: 'redis://h', timeLimit: 5, ttl: 3_600_000, prefix: 'portcullis' },
  });
});

for (const options of [
  { memoryBytes: -1 },
  { memoryBytes: 1.5 },
  { entryBytes: 0 },
  { entryByte: 1 },
  { redis: {} },
  { redis: { url: 'http://secret' } },
  { redis: { url: 'redis://h', timeLimit: '2s' } },
  { redis: { url: 'redis://h', timeLimit: '0ms' } },
  { redis: { url: 'redis://h', ttl: '1ms' } },
  { redis: { url: 'redis://h', prefix: 'a:b' } },
  { redis: { url: 'redis://h', prefix: '' } },
]) {
  test(`refuses ${JSON.stringify(options)}`, () => {
    const { success, error } = cacheOptionsSchema.safeParse(options);
    assert.equal(success, false);
    assert.ok(!String(error).includes('secret'));
  });
}
