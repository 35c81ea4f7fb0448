import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createPrecompiles } from '../../../../packages/evm/interpreter/precompiles/precompiles.ts';
import { rulesOf } from '../../../../packages/evm/interpreter/revisions/revisions.ts';
import { createNodeCryptography } from '../../../../src/engine/node-cryptography.ts';
import { VALID_INPUTS } from '../interpreter/precompiles/inputs.ts';

/** Computes the outputs of all valid inputs in a separate thread. */
async function computeInWorker(): Promise<ReadonlyMap<number, Uint8Array>> {
  const url = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  const program = `
    import { parentPort, workerData } from 'node:worker_threads';
    import { createNodeCryptography } from ${url('../../../../src/engine/node-cryptography.js')};
    import { createPrecompiles } from ${url('../../../../packages/evm/interpreter/precompiles/precompiles.js')};
    import { rulesOf } from ${url('../../../../packages/evm/interpreter/revisions/revisions.js')};
    const osaka = createPrecompiles(createNodeCryptography()).of(rulesOf('osaka'));
    parentPort.postMessage(new Map([...workerData].map(([at, input]) => [at, osaka.get(at).run(input)])));
  `;
  const module = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
  const worker = new Worker(module, { workerData: VALID_INPUTS });
  const [answers] = await once(worker, 'message');
  await worker.terminate();
  return answers as ReadonlyMap<number, Uint8Array>;
}

test('several threads create their own cryptography at the same time', async () => {
  const osaka = createPrecompiles(createNodeCryptography()).of(rulesOf('osaka'));
  const [first, second] = await Promise.all([computeInWorker(), computeInWorker()]);
  for (const [address, input] of VALID_INPUTS) {
    const expected = osaka.get(address)?.run(input);
    assert.ok(expected !== undefined);
    assert.deepEqual(first.get(address), expected, `precompile ${address}`);
    assert.deepEqual(second.get(address), expected, `precompile ${address}`);
  }
});
