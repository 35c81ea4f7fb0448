import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Network } from '../../src/methods/network.ts';
import { findMethod, METHODS } from '../../src/methods/table.ts';
import type { JsonResult } from '../../src/primitives/json-result.ts';
import { createScriptedNetwork } from '../gateway/scripted-network.ts';
import { createScriptedChain, SCOPE } from '../rollup/scripted-chain.ts';

function createNetwork(
  names: readonly string[] | undefined,
  requests: Readonly<Record<string, string>> = {},
): { readonly network: Network; readonly requests: { method: string; params: readonly unknown[] }[] } {
  const { chain, asked } = createScriptedChain({ requests });
  const network = createScriptedNetwork(chain, names === undefined ? {} : { passthrough: new Set(names) });
  return { network, requests: asked.requests };
}

async function invoke(network: Network, name: string, params: readonly unknown[]): Promise<JsonResult> {
  const method = findMethod(name, network);
  assert.ok(method !== undefined, name);
  return method.invoke(params, { network, clientVersion: 'test', scope: SCOPE });
}

describe('methods that a network passes through', () => {
  it('are none by default', () => {
    const { network } = createNetwork(undefined);
    for (const name of [
      'eth_getBalance',
      'debug_traceTransaction',
      'admin_peers',
      'constructor',
      '__proto__',
    ]) {
      assert.equal(findMethod(name, network), undefined);
    }
  });

  it('are those that it lists, no others', async () => {
    const { network, requests } = createNetwork(['eth_getBalance'], { eth_getBalance: '"0x7"' });
    const params = ['0xab', { any: ['thing', null] }];
    assert.equal(await invoke(network, 'eth_getBalance', params), '"0x7"');
    assert.deepEqual(requests, [{ method: 'eth_getBalance', params }]);
    assert.equal(findMethod('eth_getCode', network), undefined);
    assert.equal(findMethod('ETH_GETBALANCE', network), undefined);
    assert.equal(findMethod('eth_getBalance', createNetwork([]).network), undefined);
  });

  it('an error of one network is no error of another', async () => {
    const without = createNetwork(['eth_getBalance']).network;
    await assert.rejects(invoke(without, 'eth_getBalance', []), {
      name: 'RpcError',
      message: /does not exist/,
    });
    const { network } = createNetwork(['eth_getBalance'], { eth_getBalance: '"0x8"' });
    assert.equal(await invoke(network, 'eth_getBalance', []), '"0x8"');
  });

  it('never stand in for the methods of the service', () => {
    const { network } = createNetwork(METHODS.map(({ name }) => name));
    for (const method of METHODS) {
      if (method.needsRollup !== true) assert.equal(findMethod(method.name, network), method);
    }
  });
});
