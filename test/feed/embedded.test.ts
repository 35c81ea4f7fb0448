import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { ROOT } from '../../scripts/program-files.ts';
import { createNetworkFeed } from '../../src/feed/network-feed.ts';
import { importEmbeddedChain } from '../support/embedded.ts';
import { createScope } from './support.ts';

it('the network feed reads the blocks of an embedded chain from block 0 on', async () => {
  const folder = join(ROOT, 'chains/devnet');
  const { chain, close } = await importEmbeddedChain(
    join(folder, 'genesis.json'),
    join(folder, 'blocks.rlp.gz'),
  );
  const feed = createNetworkFeed({ chain });
  try {
    const { steps, last } = await feed.read({ kind: 'from', number: 0n }, createScope());
    assert.deepEqual(last, chain.heads.served);
    assert.equal(steps.length, Number(last.number) + 1);
    for (const [number, { kind, block }] of steps.entries()) {
      assert.equal(kind, 'added');
      const header = chain.blocks.getHeaderObject({ kind: 'number', number: BigInt(number) });
      assert.equal(block.header, header);
    }
  } finally {
    feed.close();
    await close();
  }
});
