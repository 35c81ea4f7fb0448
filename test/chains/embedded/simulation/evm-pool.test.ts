import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StateReader } from '../../../../packages/evm/interpreter/host.ts';
import { EvmPool } from '../../../../src/chains/embedded/simulation/evm-pool.ts';
import type { SimulatedChain } from '../../../../src/chains/embedded/simulation/simulated-chain.ts';
import { Simulator } from '../../../../src/chains/embedded/simulation/simulator.ts';

const MEMORY_LIMIT = 1 << 20;

const createState = (): StateReader => ({
  getAccount: () => undefined,
  getStorage: () => new Uint8Array(),
  getCode: () => new Uint8Array(),
});

test('EvmPool prefers an EVM with the requested state, then one without a state', () => {
  const pool = new EvmPool(MEMORY_LIMIT, 4);
  const [one, other, own] = [createState(), createState(), createState()];
  const first = pool.acquire(one);
  const second = pool.acquire(other);
  pool.release(first);
  pool.releaseUnknown(second);
  assert.equal(pool.acquireFor(own), second, 'none is made while one that remembers nothing is idle');
  pool.releaseUnknown(second);
  assert.equal(pool.acquire(one), first);
  assert.equal(pool.acquire(createState()), second);
});

test('an EVM retains its state after a call, unless the state is opened for one call', () => {
  const state = createState();
  for (const chain of [{ openState: () => state }, { openState: () => state, isForOneCall: true }]) {
    const simulator = new Simulator(chain as unknown as SimulatedChain, MEMORY_LIMIT);
    const entry = simulator.acquire(1n);
    simulator.release(entry);
    assert.equal(entry.state === state, !('isForOneCall' in chain));
  }
});
