import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EngineNode } from '../../../../src/chains/embedded/reads/node-reads.ts';
import { StoredBlocks } from '../../../../src/chains/embedded/reads/stored-blocks.ts';
import { openChainReader } from '../../../../src/chains/embedded/store/chain-reader.ts';
import { ChainBuilder } from '../../../support/chain-builder.ts';
import { createGenesis, type OpenedChain, openBuiltChain } from '../../../support/test-chain.ts';

const HEIGHT = 5;
let opened: OpenedChain;

before(async () => {
  const genesis = createGenesis({ revision: 'osaka' });
  const builder = new ChainBuilder(genesis);
  for (let i = 0; i < HEIGHT; i++) await builder.add();
  opened = await openBuiltChain(genesis, builder);
});
after(async () => {
  await opened.close();
});

/** Reads the proof range that the node reports when this many blocks below the head have proofs. */
async function readProofs(proofBlocks: number): Promise<unknown> {
  const reader = openChainReader(opened.store);
  const node = new EngineNode(new StoredBlocks(reader), proofBlocks);
  const { stateproofs } = JSON.parse(node.getCapabilities()) as { readonly stateproofs: unknown };
  await reader.close();
  return stateproofs;
}

test('capabilities report data of every block, and proofs of the latest blocks', async () => {
  const { head, state, tx, logs, receipts, blocks } = JSON.parse(
    opened.chain.node.getCapabilities(),
  ) as Readonly<Record<string, unknown>>;
  const { hash, number } = opened.chain.describe().head ?? {};
  assert.deepEqual(head, { number: `0x${number}`, hash });
  for (const resource of [state, tx, logs, receipts, blocks]) {
    assert.deepEqual(resource, { disabled: false, oldestBlock: '0x0' });
  }
  const of = (oldestBlock: string, retentionBlocks: string): unknown => ({
    disabled: false,
    oldestBlock,
    deleteStrategy: { type: 'window', retentionBlocks },
  });
  assert.deepEqual(await readProofs(0), of('0x5', '0x1'));
  assert.deepEqual(await readProofs(3), of('0x2', '0x4'));
  assert.deepEqual(await readProofs(128), of('0x0', '0x81'));
});

test('an embedded chain is not syncing', () => {
  assert.equal(opened.chain.node.getSyncing(), 'false');
});
