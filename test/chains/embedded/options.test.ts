import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executionOptionsSchema } from '../../../src/chains/embedded/options.ts';

test('every bound of executions has a default', () => {
  const defaults = {
    callMemory: 268_435_456,
    heavyCalls: 14,
    waitingCalls: 4_096,
    provenState: 67_108_864,
  };
  assert.deepEqual(executionOptionsSchema.parse(undefined), defaults);
  const simulationGas = 50_000_000;
  assert.deepEqual(executionOptionsSchema.parse({ simulationGas }), { ...defaults, simulationGas });
  assert.deepEqual(executionOptionsSchema.parse({ heavyCalls: 3 }), { ...defaults, heavyCalls: 3 });
});

test('unknown or out-of-range bounds of executions are refused', () => {
  for (const options of [
    { callMemory: 1000 },
    { callMemory: 2 ** 32 },
    { heavyCalls: 0 },
    { threads: 2 },
    { simulationGas: 1 },
  ]) {
    assert.equal(executionOptionsSchema.safeParse(options).success, false, JSON.stringify(options));
  }
});
