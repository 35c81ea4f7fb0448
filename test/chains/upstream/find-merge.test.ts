import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findMerge } from '../../../src/chains/upstream/find-merge.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { createNetwork } from '../../pool/support/network.ts';
import { ScriptedChain } from '../../pool/support/scripted-chain.ts';
import { answer } from '../../pool/support/scripted-node.ts';
import { countRuns } from '../../support/count-runs.ts';

describe('findMerge', () => {
  it('finds the first block after the merge, in few requests', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 300 }),
        fc.integer({ min: 1, max: 300 }),
        async (length, mark) => {
          const mergedFrom = Math.min(mark, length - 1);
          const { directory, requested } = createNetwork(new ScriptedChain({ length, mergedFrom }));
          await findMerge(directory, BigInt(length - 1), createScope());
          assert.equal(directory.isMergedAt(BigInt(mergedFrom)), true);
          assert.equal(directory.isMergedAt(BigInt(mergedFrom) - 1n), false);
          assert.ok(requested().length <= Math.ceil(Math.log2(length)) + 1);
        },
      ),
      { numRuns: countRuns(60) },
    );
  });

  it('sends one request if there was never proof of work', async () => {
    const { directory, requested } = createNetwork(new ScriptedChain({ length: 300 }));
    await findMerge(directory, 299n, createScope());
    assert.equal(requested().length, 1);
    assert.equal(directory.isMergedAt(1n), true);
  });

  it('fails when a block is missing', async () => {
    const { directory, node } = createNetwork(new ScriptedChain({ length: 300, mergedFrom: 100 }));
    node.behave(answer('null'));
    await assert.rejects(findMerge(directory, 299n, createScope()), { kind: 'missing' });
    assert.equal(directory.isMergedAt(298n), false);
  });
});
