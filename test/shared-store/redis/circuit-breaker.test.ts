import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CircuitBreaker } from '../../../src/shared-store/redis/circuit-breaker.ts';

test('opens after three consecutive faults', () => {
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

test('admits one call per pause while open', () => {
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

test('a failed trial starts a new pause and is reported, other faults meanwhile are not', () => {
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

test('a successful trial closes the circuit', () => {
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
