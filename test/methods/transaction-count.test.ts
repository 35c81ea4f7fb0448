import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ethGetTransactionCount } from '../../src/methods/eth_getTransactionCount.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createScriptedNetwork, ScriptedChain } from '../gateway/scripted-network.ts';

const ACCOUNT = '0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f';

test('eth_getTransactionCount passes the block reference to the chain', async () => {
  const hash = `0x${'b1'.repeat(32)}`;
  for (const [block, reference] of [
    ['pending', { kind: 'tag', tag: 'pending' }],
    ['0x10', { kind: 'number', number: 16n }],
    [
      { blockHash: hash, requireCanonical: true },
      { kind: 'hash', hash, requireCanonical: true },
    ],
  ]) {
    const chain = new ScriptedChain();
    await ethGetTransactionCount.invoke([ACCOUNT, block], {
      network: createScriptedNetwork(chain),
      clientVersion: 'v',
      scope: new RequestScope(performance.now() + 10_000),
    });
    assert.deepEqual(chain.references, [reference]);
  }
});
