import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNSUPPORTED } from '../../src/chain/chain.ts';
import { ethGetTransactionCount } from '../../src/methods/eth_getTransactionCount.ts';
import { RpcError } from '../../src/rpc/errors.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createScriptedNetwork, ScriptedChain } from '../gateway/scripted-network.ts';

const ACCOUNT = '0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f';

test('a chain that cannot tell a nonce does not have the method', async () => {
  class PlainChain extends ScriptedChain {
    override async request(): Promise<typeof UNSUPPORTED> {
      return UNSUPPORTED;
    }
  }
  const context = {
    network: createScriptedNetwork(new PlainChain()),
    clientVersion: 'v',
    scope: new RequestScope(performance.now() + 10_000),
  };
  await assert.rejects(
    async () => ethGetTransactionCount.invoke([ACCOUNT, 'latest'], context),
    (error) => error instanceof RpcError && error.row.code === -32601,
  );
});

test('the block reaches the chain as it was meant', async () => {
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
    assert.deepEqual(chain.blocks, [reference]);
  }
});
