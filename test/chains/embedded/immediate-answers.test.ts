import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ethCall } from '../../../src/methods/eth_call.ts';
import { ethEstimateGas } from '../../../src/methods/eth_estimateGas.ts';
import type { MethodContext } from '../../../src/methods/method-context.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { FACTS } from '../../support/development.ts';
import { importEmbeddedChain } from '../../support/embedded.ts';

const CHAIN = join(import.meta.dirname, '../../../../chains/devnet');

/** A batch counts the time of an item's first slice only where it runs in the event-loop turn in which the item begins. */
test('a call and an estimate with a gas limit run synchronously, without a promise', async (t) => {
  const { chain, close } = await importEmbeddedChain(
    join(CHAIN, 'genesis.json'),
    join(CHAIN, 'blocks.rlp.gz'),
  );
  t.after(close);
  const context = { network: { chain }, scope: createScope() } as unknown as MethodContext;
  const { tokenTransfer, tokenBalance } = FACTS.devnet.calls;
  for (const answered of [
    ethCall.invoke([{ ...tokenBalance, gas: '0x30d40' }], context),
    ethEstimateGas.invoke([{ ...tokenTransfer, gas: '0x30d40' }], context),
  ])
    assert.match(answered as string, /^"0x[0-9a-f]+"$/);
});
