import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { KeyRules } from '../../src/access/key-rules.ts';
import { CreditScale } from '../../src/gateway/credit-scale.ts';
import type { Network } from '../../src/methods/network.ts';
import { NetworkMethods } from '../../src/methods/network-methods.ts';
import { findPassedNamespace } from '../../src/methods/passed-methods.ts';
import { findMethod, METHODS } from '../../src/methods/table.ts';
import { createScriptedNetwork, createScriptedRollup, ScriptedChain } from '../gateway/scripted-network.ts';
import { createScriptedChain, SCOPE } from '../rollup/scripted-chain.ts';

type Lists = {
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  readonly reads?: readonly string[];
  readonly also?: readonly string[];
  /** Whether node namespaces are forwarded. */
  readonly isPassing?: boolean;
};

type Made = {
  readonly network: Network;
  readonly requests: { method: string; params: readonly unknown[] }[];
};

function createMethods({
  only,
  except = [],
  reads = [],
  also = [],
  isPassing = false,
}: Lists): NetworkMethods {
  const onlyReads = (name: string): boolean => !name.includes('_set');
  return new NetworkMethods({
    only,
    except,
    reads,
    also,
    onlyReads,
    ...(isPassing && { findPassed: findPassedNamespace }),
  });
}

function createNetwork(lists: Lists | undefined, requests: Readonly<Record<string, string>> = {}): Made {
  const { chain, requested } = createScriptedChain({ requests });
  const network = createScriptedNetwork(chain, lists === undefined ? {} : { methods: createMethods(lists) });
  return { network, requests: requested.requests };
}

async function invoke(network: Network, name: string, params: readonly unknown[]): Promise<JsonResult> {
  const method = findMethod(name, network);
  assert.ok(method !== undefined, name);
  return method.invoke(params, { network, clientVersion: 'test', scope: SCOPE });
}

/** Selects the names that the network serves. */
const servedOf = ({ network }: Made, ...names: string[]): string[] =>
  names.filter((name) => findMethod(name, network) !== undefined);

describe('methods of a network’s nodes', () => {
  it('are not served without configuration', () => {
    const names = ['trace_block', 'debug_traceTransaction', 'admin_peers', 'constructor', '__proto__', ''];
    for (const lists of [undefined, {}]) assert.deepEqual(servedOf(createNetwork(lists), ...names), []);
  });

  it('are served only if they are listed', async () => {
    const { network, requests } = createNetwork({ also: ['trace_block'] }, { trace_block: '"0x7"' });
    const params = ['0xab', { any: ['thing', null] }];
    assert.equal(await invoke(network, 'trace_block', params), '"0x7"');
    assert.deepEqual(requests, [{ method: 'trace_block', params }]);
    assert.deepEqual(
      servedOf({ network, requests }, 'trace_call', 'TRACE_BLOCK', 'trace_block2', 'trace_'),
      [],
    );
  });

  it('are served for a listed namespace if they only read, and counted under the namespace', () => {
    const made = createNetwork({ also: ['debug_*', 'trace_block'], except: ['debug_traceBlock'] });
    assert.deepEqual(
      servedOf(made, 'debug_traceCall', 'debug_setHead', 'debug_traceBlock', 'debugger_x', 'trace_block'),
      ['debug_traceCall', 'trace_block'],
    );
    const { name, label } = findMethod('debug_traceCall', made.network) ?? {};
    assert.deepEqual([name, label], ['debug_traceCall', 'debug_*']);
    assert.equal(findMethod('trace_block', made.network)?.label, 'trace_block');
  });

  it('include the reads of every network of nodes, as far as `only` and `except` allow them', () => {
    const reads = ['x_getBalance', 'x_getCode'];
    const servedWith = (lists: Lists): string[] => servedOf(createNetwork({ reads, ...lists }), ...reads);
    assert.deepEqual(servedWith({}), reads);
    assert.deepEqual(servedWith({ only: ['x_getCode'] }), ['x_getCode']);
    assert.deepEqual(servedWith({ only: ['x_*'], except: ['x_getCode'] }), ['x_getBalance']);
    assert.deepEqual(servedWith({ only: ['eth_call'] }), []);
    assert.deepEqual(servedWith({ only: ['eth_call'], also: ['x_getCode'] }), ['x_getCode']);
  });

  it('fail on one network without effect on another', async () => {
    const without = createNetwork({ also: ['trace_block'] }).network;
    await assert.rejects(invoke(without, 'trace_block', []), {
      name: 'RpcError',
      message: /does not exist/,
    });
    const { network } = createNetwork({ also: ['trace_block'] }, { trace_block: '"0x8"' });
    assert.equal(await invoke(network, 'trace_block', []), '"0x8"');
  });

  it('are served in forwarded namespaces if they only read, and counted under the namespace', () => {
    const names = ['debug_traceCall', 'trace_block', 'alchemy_getTokenBalances', 'ots_getApiLevel'];
    const others = ['debug_setHead', 'alchemy_requestGas', 'scroll_x', 'debug_memStats', 'linea_estimateGas'];
    const servedWith = (lists: Lists): string[] =>
      servedOf(createNetwork({ isPassing: true, ...lists }), ...names, ...others);
    assert.deepEqual(servedWith({}), names);
    assert.deepEqual(servedWith({ except: ['debug_*', 'trace_block'] }), names.slice(2));
    assert.deepEqual(servedWith({ only: ['eth_*'] }), []);
    assert.deepEqual(servedWith({ only: ['trace_*', 'eth_call'] }), ['trace_block']);
    assert.deepEqual(servedWith({ only: ['eth_call'], also: ['debug_memStats'] }), ['debug_memStats']);
    assert.deepEqual(servedWith({ isPassing: false }), []);
    const { label } = findMethod('trace_block', createNetwork({ isPassing: true }).network) ?? {};
    assert.equal(label, 'trace_*');
  });

  it('cost credits by their cost to a node', () => {
    const { network } = createNetwork({ isPassing: true, also: ['scroll_x'] });
    const weigh = (table: Readonly<Record<string, number>>, name: string): number =>
      new CreditScale(table).weigh(findMethod(name, network));
    assert.equal(weigh({}, 'debug_traceTransaction'), 300);
    assert.equal(weigh({}, 'debug_traceBlockByNumber'), 1000);
    assert.equal(weigh({}, 'trace_filter'), 1000);
    assert.equal(weigh({}, 'txpool_status'), 20);
    assert.equal(weigh({}, 'zks_getFeeParams'), 80);
    // `default` applies to methods without a row; a name applies to its method.
    assert.equal(weigh({ default: 7 }, 'debug_traceTransaction'), 300);
    assert.equal(weigh({ default: 7 }, 'scroll_x'), 7);
    assert.equal(weigh({ default: 7, trace_block: 9 }, 'trace_block'), 9);
  });

  it('are not allowed by default to a key with a list of methods or contracts', () => {
    const method = findMethod('debug_traceCall', createNetwork({ isPassing: true }).network);
    assert.ok(method !== undefined);
    const listed = KeyRules.of({ methods: ['eth_call'] });
    assert.equal(listed?.allowsMethod(method.name, method.name), false);
    const bound = KeyRules.of({ addresses: [`0x${'ab'.repeat(20)}`] });
    assert.equal(bound?.allowsContracts(method.contractScope, [{ to: `0x${'ab'.repeat(20)}` }]), false);
  });

  it('never replace the methods of the service', () => {
    const { network } = createNetwork({ also: METHODS.map(({ name }) => name) });
    for (const method of METHODS) {
      if (method.needsRollup !== true) assert.equal(findMethod(method.name, network), method);
    }
  });
});

describe('methods of the service', () => {
  const names = METHODS.filter(({ needsRollup }) => needsRollup !== true)
    .map(({ name }) => name)
    .sort();
  const servedWith = (lists: Lists): string[] => servedOf(createNetwork(lists), ...names);

  it('are all served by default', () => {
    assert.deepEqual(servedWith({}), names);
  });

  it('are restricted to `only` without `except`, by name or namespace', () => {
    assert.deepEqual(servedWith({ only: ['eth_call', 'net_*'] }).sort(), [
      'eth_call',
      ...names.filter((name) => name.startsWith('net_')),
    ]);
    assert.deepEqual(
      servedWith({ except: ['eth_call', 'net_*'] }),
      names.filter((name) => name !== 'eth_call' && !name.startsWith('net_')),
    );
    assert.deepEqual(servedWith({ only: ['eth_call'], except: ['eth_*'] }), []);
  });

  it('are served if `also` lists them, whatever `only` lists', () => {
    assert.deepEqual(servedWith({ only: ['eth_call'], also: ['net_*'] }).sort(), [
      'eth_call',
      ...names.filter((name) => name.startsWith('net_')),
    ]);
    assert.deepEqual(servedWith({ only: ['eth_call'], also: ['eth_chainId'], except: ['eth_chainId'] }), [
      'eth_call',
    ]);
  });

  it('include a rollup’s estimate, which both of its names allow or exclude', () => {
    const served = (lists: Lists): boolean => {
      const network = { ...createScriptedRollup(new ScriptedChain()), methods: createMethods(lists) };
      return findMethod('linea_estimateGas', network) !== undefined;
    };
    assert.equal(served({}), true);
    assert.equal(served({ only: ['l2_estimateGas'] }), true);
    assert.equal(served({ only: ['linea_estimateGas'] }), true);
    assert.equal(served({ only: ['eth_*'] }), false);
    assert.equal(served({ except: ['l2_estimateGas'] }), false);
    assert.equal(served({ except: ['linea_*'] }), false);
  });
});
