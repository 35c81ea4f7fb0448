import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CircuitBreaker } from '../../../src/shared-store/redis/circuit-breaker.ts';

test('opens after three faults in a row', () => {
  const breaker = new CircuitBreaker(() => 0);
  assert.equal(breaker.fail(), false);
  assert.equal(breaker.fail(), false);
  breaker.succeed();
  assert.equal(breaker.fail(), false);
  assert.equal(breaker.fail(), false);
  assert.equal(breaker.admit(), true);
  assert.equal(breaker.fail(), true);
  assert.equal(breaker.isOpen, true);
  assert.equal(breaker.admit(), false);
});

test('while open, lets one call through each pause', () => {
  let now = 0;
  const breaker = new CircuitBreaker(() => now);
  for (let i = 0; i < 3; i++) breaker.fail();
  now = 999;
  assert.equal(breaker.admit(), false);
  now = 1_000;
  assert.equal(breaker.admit(), true);
  assert.equal(breaker.admit(), false);
  now = 2_000;
  assert.equal(breaker.admit(), true);
});

test('a try that fails begins a new pause, and is reported; other faults meanwhile are not', () => {
  let now = 0;
  const breaker = new CircuitBreaker(() => now);
  for (let i = 0; i < 3; i++) breaker.fail();
  assert.equal(breaker.fail(), false);
  now = 1_500;
  assert.equal(breaker.admit(), true);
  now = 1_600;
  assert.equal(breaker.fail(), true);
  assert.equal(breaker.fail(), false);
  now = 2_599;
  assert.equal(breaker.admit(), false);
  now = 2_600;
  assert.equal(breaker.admit(), true);
});

test('a try that succeeds closes it', () => {
  let now = 0;
  const breaker = new CircuitBreaker(() => now);
  for (let i = 0; i < 3; i++) breaker.fail();
  now = 1_000;
  breaker.admit();
  breaker.succeed();
  assert.equal(breaker.isOpen, false);
  assert.equal(breaker.admit(), true);
  assert.equal(breaker.admit(), true);
});
