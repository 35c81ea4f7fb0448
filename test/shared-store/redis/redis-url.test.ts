import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRedisUrl } from '../../../src/shared-store/redis/redis-url.ts';

test('parses host, port, TLS, credentials and database', () => {
  assert.deepEqual(parseRedisUrl('redis://cache.example'), {
    host: 'cache.example',
    port: 6379,
    tls: false,
    username: undefined,
    password: undefined,
    database: 0,
  });
  assert.deepEqual(parseRedisUrl('valkeys://me:p%40ss@[::1]:7000/3'), {
    host: '::1',
    port: 7000,
    tls: true,
    username: 'me',
    password: 'p@ss',
    database: 3,
  });
  assert.equal(parseRedisUrl('rediss://:secret@h/').password, 'secret');
  assert.equal(parseRedisUrl('valkey://h').tls, false);
});

for (const text of [
  '',
  'cache.example:6379',
  'http://secret.example',
  'redis://',
  'redis:///1',
  'redis://secret/x',
  'redis://secret/1/2',
  'redis://secret?enableOfflineQueue=1',
  'redis://secret#x',
  'redis://:secret%ff@h',
  'redis://secret:99999',
]) {
  test(`refuses the URL: ${text}`, () => {
    assert.throws(
      () => parseRedisUrl(text),
      (error) => error instanceof RangeError && !error.message.includes('secret'),
    );
  });
}
