import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSurplus, type WorkerLoad } from '../../../src/service/workers/worker-load.ts';

const load = (utilization: number, connections: number): WorkerLoad => ({ utilization, connections });

test('a worker that does everything parts with what brings it to the mean', () => {
  assert.deepEqual(findSurplus([load(1, 32), load(0, 0)]), [16, 0]);
  assert.deepEqual(findSurplus([load(0.99, 2), load(0.01, 0)]), [1, 0]);
  assert.deepEqual(findSurplus([load(0.1, 5), load(0.9, 20), load(0.8, 9)]), [0, 7, 2]);
});

test('where all are busy, one with far more connections than others parts with what exceeds the mean', () => {
  assert.deepEqual(findSurplus([load(1, 32), load(0.8, 2)]), [15, 0]);
  assert.deepEqual(findSurplus([load(1, 8), load(1, 4), load(1, 6)]), [0, 0, 0]);
});

test('no worker parts with anything while all have the same to do, or none has much', () => {
  assert.deepEqual(findSurplus([load(1, 32), load(0.8, 30)]), [0, 0]);
  assert.deepEqual(findSurplus([load(0.6, 600), load(0, 0)]), [0, 0]);
  assert.deepEqual(findSurplus([load(1, 32)]), [0]);
  assert.deepEqual(findSurplus([]), []);
});

test('one connection is not sent from one to another', () => {
  assert.deepEqual(findSurplus([load(1, 1), load(0, 0)]), [0, 0]);
});
