import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { redactUrl } from '../../src/observe/redact-url.ts';

test('preserves routes, and removes keys and queries', () => {
  assert.equal(redactUrl('/v3/demo'), '/v3/***');
  assert.equal(redactUrl('/ws/v3/abc?key=abc'), '/ws/v3/***');
  assert.equal(redactUrl('/mainnet/ws/v3/abc'), '/mainnet/ws/v3/***');
  assert.equal(redactUrl('/v3/'), '/v3/');
  assert.equal(redactUrl('/openrpc.json'), '/openrpc.json');
});

test('a key at any position of a path or query is removed', () => {
  const key = '0123456789abcdef0123456789abcdef';
  const place = fc.constantFrom(
    '/',
    '//',
    '/v3/',
    '/v2/',
    '/V3/',
    '/ws/v3/',
    '/net/v3/',
    '/v3/x/',
    '/?',
    '/v3?',
    'http://h/v3/',
  );
  fc.assert(
    fc.property(place, fc.string({ maxLength: 4 }), (before, after) => {
      assert.ok(!redactUrl(`${before}${key}${after}`).includes(key));
    }),
  );
});
