import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ChainError } from '../../../src/chain/errors.ts';
import type { BlockReference } from '../../../src/chain/requests.ts';
import { addressOf, FACTS } from '../../support/development.ts';
import { importEmbeddedChain } from '../../support/embedded.ts';

const CHAIN = join(import.meta.dirname, '../../../../chains/devnet');

test('a nonce is the number of transactions sent up to the block', async (t) => {
  const { chain, close } = await importEmbeddedChain(
    join(CHAIN, 'genesis.json'),
    join(CHAIN, 'blocks.rlp.gz'),
  );
  t.after(close);
  const alice = addressOf('alice');
  const count = (block: BlockReference): string => chain.state.getTransactionCount(alice, block);
  let sent = 0;
  let hash = '';
  for (let number = 0n; number <= BigInt(FACTS.devnet.headNumber); number++) {
    const block: BlockReference = { kind: 'number', number };
    const receipts = JSON.parse(chain.blocks.getReceipts(block) as string);
    for (const { from } of receipts as { from: string }[]) if (from === alice) sent++;
    assert.equal(count(block), `"0x${sent.toString(16)}"`, `block ${number}`);
    hash = chain.blocks.getHeader(block)?.hash ?? '';
  }
  assert.ok(sent > 0);
  const head = `"0x${sent.toString(16)}"`;
  for (const tag of ['latest', 'safe', 'finalized', 'pending'] as const) {
    assert.equal(count({ kind: 'tag', tag }), head);
  }
  assert.equal(count({ kind: 'tag', tag: 'earliest' }), '"0x0"');
  assert.equal(count({ kind: 'hash', hash, requireCanonical: true }), head);
  for (const [block, message] of [
    [{ kind: 'number', number: 1_000n }, 'header not found'],
    [{ kind: 'hash', hash: alice.padEnd(66, '0'), requireCanonical: false }, 'header for hash not found'],
  ] as const) {
    assert.throws(
      () => count(block),
      (error) => error instanceof ChainError && error.kind === 'failed' && error.message === message,
    );
  }
  const unknown = `0x${'99'.repeat(20)}`;
  assert.equal(chain.state.getTransactionCount(unknown, { kind: 'tag', tag: 'latest' }), '"0x0"');
});
