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
    for (const name of ['trace_block', 'debug_traceTransaction', 'admin_peers', 'constructor', '__proto__']) {
      assert.equal(findMethod(name, network), undefined);
    }
  });

  it('are those that it lists, no others', async () => {
    const { network, requests } = createNetwork(['trace_block'], { trace_block: '"0x7"' });
    const params = ['0xab', { any: ['thing', null] }];
    assert.equal(await invoke(network, 'trace_block', params), '"0x7"');
    assert.deepEqual(requests, [{ method: 'trace_block', params }]);
    assert.equal(findMethod('trace_filter', network), undefined);
    assert.equal(findMethod('TRACE_BLOCK', network), undefined);
    assert.equal(findMethod('trace_block', createNetwork([]).network), undefined);
  });

  it('an error of one network is no error of another', async () => {
    const without = createNetwork(['trace_block']).network;
    await assert.rejects(invoke(without, 'trace_block', []), {
      name: 'RpcError',
      message: /does not exist/,
    });
    const { network } = createNetwork(['trace_block'], { trace_block: '"0x8"' });
    assert.equal(await invoke(network, 'trace_block', []), '"0x8"');
  });

  it('never stand in for the methods of the service', () => {
    const { network } = createNetwork(METHODS.map(({ name }) => name));
    for (const method of METHODS) {
      if (method.needsRollup !== true) assert.equal(findMethod(method.name, network), method);
    }
  });
});
