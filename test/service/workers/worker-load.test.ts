import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSurplus, type WorkerLoad } from '../../../src/service/workers/worker-load.ts';

const load = (utilization: number, connections: number): WorkerLoad => ({ utilization, connections });

test('a worker much busier than others closes connections to reach the mean utilization', () => {
  assert.deepEqual(findSurplus([load(1, 32), load(0, 0)]), [16, 0]);
  assert.deepEqual(findSurplus([load(0.99, 2), load(0.01, 0)]), [1, 0]);
  assert.deepEqual(findSurplus([load(0.1, 5), load(0.9, 20), load(0.8, 9)]), [0, 7, 2]);
});

test('among busy workers, one with far more connections than others closes those above the mean', () => {
  assert.deepEqual(findSurplus([load(1, 32), load(0.8, 2)]), [15, 0]);
  assert.deepEqual(findSurplus([load(1, 8), load(1, 4), load(1, 6)]), [0, 0, 0]);
});

test('no worker closes connections while loads are similar or low', () => {
  assert.deepEqual(findSurplus([load(1, 32), load(0.8, 30)]), [0, 0]);
  assert.deepEqual(findSurplus([load(0.6, 600), load(0, 0)]), [0, 0]);
  assert.deepEqual(findSurplus([load(1, 32)]), [0]);
  assert.deepEqual(findSurplus([]), []);
});

test('a single connection is not moved between workers', () => {
  assert.deepEqual(findSurplus([load(1, 1), load(0, 0)]), [0, 0]);
});
