import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import {
  clearExemption,
  createExemptionFlag,
  ExecutionMemory,
  type ExemptionFlag,
  type MemoryLease,
} from '../../../../src/chains/embedded/execution/execution-memory.ts';

const MiB = 2 ** 20;
const FREE = 4 * MiB;
const LARGE = 96 * MiB;

describe('execution memory', () => {
  let exemption: ExemptionFlag;
  const open = (thread = 1, threads = 1): ExecutionMemory =>
    new ExecutionMemory({ threads, thread, ownerShare: 0.5, exemption });
  beforeEach(() => {
    exemption = createExemptionFlag();
  });

  /** Grows a lease by one MiB per step. @returns the largest size that was granted */
  function grow(lease: MemoryLease, most: number): number {
    let bytes = 0;
    while (bytes < most && lease.reach(bytes + MiB)) bytes += MiB;
    return bytes;
  }

  test('grants the free part of each lease to any number of executions', () => {
    const memory = open();
    for (let i = 0; i < 1_000; i++) assert.ok(memory.lease('x').reach(FREE));
  });

  test('gives one execution all that it needs, and the others a shared part', () => {
    const memory = open();
    const leases = Array.from({ length: 14 }, () => memory.lease('greedy'));
    const sizes = leases.map((lease) => grow(lease, 512 * MiB));
    assert.equal(sizes[0], 512 * MiB);
    const others = sizes.slice(1).reduce((sum, size) => sum + size - FREE, 0);
    assert.ok(others <= LARGE / 2, `${others} bytes beyond what is free`);
    // Another owner gets a part of the rest.
    assert.ok(grow(memory.lease('neighbour'), 512 * MiB) >= FREE + LARGE / 8);
  });

  test('lets each waiting execution continue when another one ends', () => {
    const memory = open();
    const leases = Array.from({ length: 5 }, () => memory.lease('x'));
    for (const lease of leases) grow(lease, 256 * MiB);
    for (const [i, lease] of leases.entries()) {
      assert.ok(lease.reach(256 * MiB), `execution ${i}`);
      lease.end();
    }
    assert.equal(grow(memory.lease('x'), 256 * MiB), 256 * MiB);
  });

  test('exempts one execution of all threads, and clears the exemption of a crashed thread', () => {
    const [first, second] = [open(1, 2).lease('x'), open(2, 2).lease('x')];
    assert.equal(grow(first, 256 * MiB), 256 * MiB);
    assert.ok(grow(second, 256 * MiB) < 64 * MiB);
    clearExemption(exemption, 2);
    assert.equal(second.reach(256 * MiB), false);
    clearExemption(exemption, 1);
    assert.equal(second.reach(256 * MiB), true);
  });

  test('leaves the exemption unchanged when an execution without it ends', () => {
    const memory = open();
    const [first, second, third] = ['x', 'y', 'z'].map((owner) => memory.lease(owner)) as [
      MemoryLease,
      MemoryLease,
      MemoryLease,
    ];
    for (const lease of [first, second, third]) grow(lease, 256 * MiB);
    second.end();
    assert.equal(third.reach(256 * MiB), false);
    first.end();
    assert.equal(third.reach(256 * MiB), true);
  });
});
