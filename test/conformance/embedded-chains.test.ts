/** Third-party chains, imported block by block with every root checked. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { importEmbeddedChain } from '../support/embedded.ts';
import { findVectors, SKIP_REASON } from '../support/vectors.ts';

const CHAINS = [
  {
    set: 'execution-apis',
    genesis: 'tests/genesis.json',
    blocks: 'tests/chain.rlp',
    imported: 54,
    head: '0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7',
  },
  {
    set: 'mainnet-0-999',
    genesis: 'mainnet.json',
    blocks: '1000.blocks',
    imported: 999,
    head: '0xc31b362e591aa07faa977dbc492ae43cd47eef291920435153bbbf3acaf2fc2f',
  },
] as const;

for (const { set, genesis, blocks, imported, head } of CHAINS) {
  const folder = findVectors(set);
  test(`${set} imports completely`, { skip: folder === undefined && SKIP_REASON }, async () => {
    const root = folder as string;
    const chain = await importEmbeddedChain(join(root, genesis), join(root, blocks));
    assert.equal(chain.summary.imported, imported);
    assert.equal(chain.summary.headHash, head);
    await chain.close();
  });
}
