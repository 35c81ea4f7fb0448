import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UNSUPPORTED } from '../../../src/chain/errors.ts';
import type { NodeCall } from '../../../src/pool/node-call.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { createNetwork, type ScriptedNetwork } from '../../pool/support/network.ts';
import { ScriptedChain } from '../../pool/support/scripted-chain.ts';
import { answer, type Behaviour, createNode, fault, nodeError } from '../../pool/support/scripted-node.ts';

const chain = new ScriptedChain({ length: 50 });
const CONTROL = 'debug_portcullisControlMethod';
const lacks = nodeError(-32601, 'the method does not exist/is not available');

/** Behaviours by method name; `*` is any other method. */
type Script = Readonly<Record<string, Behaviour>>;

/** A network of nodes with ascending tiers, used in this order. */
function createScripted(...scripts: readonly Script[]): ScriptedNetwork {
  const nodes = scripts.map((script, tier) => {
    const behaviour: Behaviour = (call, options) =>
      (script[call.method] ?? script['*'] ?? lacks)(call, options);
    return createNode({ behaviour, tier });
  });
  return createNetwork(chain, {}, nodes);
}

const pass = (network: ScriptedNetwork, method: string, ...params: unknown[]): Promise<unknown> =>
  Promise.resolve(network.chain.pass(method, params, createScope()));

/** Names of methods requested from the node at a position. */
const askedOf = ({ nodes }: ScriptedNetwork, position = 0): string[] =>
  nodes[position]?.requested.calls.map(({ method }: NodeCall) => method) ?? [];

describe('methods that are passed on', () => {
  it('are available if a node has them, with one control request per namespace', async () => {
    const network = createScripted({ debug_a: answer('"0x1"'), debug_b: answer('null') });
    assert.deepEqual(askedOf(network), []);
    for (let i = 0; i < 3; i++) {
      assert.equal(await pass(network, 'debug_a'), '"0x1"');
      assert.equal(await pass(network, 'debug_b'), 'null');
    }
    const control = askedOf(network).filter((method) => method === CONTROL);
    assert.equal(control.length, 1);
    assert.equal(askedOf(network).length, 7);
  });

  it('that no node has are refused without requests, once that is known', async () => {
    const network = createScripted({}, {});
    for (let i = 0; i < 5; i++) assert.equal(await pass(network, 'debug_a'), UNSUPPORTED);
    assert.deepEqual([askedOf(network, 0), askedOf(network, 1)], [['debug_a'], ['debug_a']]);
  });

  it('skip a node that answers null to any name, and use a node that has them', async () => {
    const network = createScripted({ '*': answer('null') }, { debug_a: answer('{"gas":1}') });
    assert.equal(await pass(network, 'debug_a'), '{"gas":1}');
    const alone = createScripted({ '*': answer('null') });
    assert.equal(await pass(alone, 'debug_a'), UNSUPPORTED);
  });

  it('skip a node that refuses the parameters of any name, or has one result for all', async () => {
    const invalid: Behaviour = ({ method }) =>
      nodeError(-32602, `invalid params of ${method}`)({ method, params: '' }, {} as never);
    for (const anything of [invalid, answer('true'), nodeError(-32603, 'Internal error')]) {
      const network = createScripted({ '*': anything }, { debug_a: answer('7') });
      assert.equal(await pass(network, 'debug_a'), '7');
    }
  });

  it('accept another result of a node that answers null to any name, and then also its null', async () => {
    let result = 'null';
    const network = createScripted({ '*': answer('null'), debug_a: (...call) => answer(result)(...call) });
    assert.equal(await pass(network, 'debug_a'), UNSUPPORTED);
    result = '{"gas":1}';
    assert.equal(await pass(network, 'debug_a'), result);
    result = 'null';
    assert.equal(await pass(network, 'debug_a'), 'null');
    assert.equal(askedOf(network).filter((method) => method === CONTROL).length, 1);
  });

  it('accept the answers of a node that does not answer the control request', async () => {
    const network = createScripted({ [CONTROL]: fault('timeout'), debug_a: answer('null') });
    for (let i = 0; i < 3; i++) assert.equal(await pass(network, 'debug_a'), 'null');
    assert.equal(askedOf(network).filter((method) => method === CONTROL).length, 1);
  });

  it('are remembered for a bounded number of names of a node', async () => {
    const network = createScripted({ '*': lacks });
    for (let i = 0; i < 300; i++) await pass(network, `debug_a${i}`);
    const before = askedOf(network).length;
    await pass(network, 'debug_a299');
    assert.equal(askedOf(network).length, before);
    await pass(network, 'debug_a0');
    assert.equal(askedOf(network).length, before + 1);
  });
});

describe('errors of methods that are passed on', () => {
  it('about the request are returned with code, message and data of the node', async () => {
    for (const [code, message, data] of [
      [-32602, 'invalid length 2, expected a 32-byte hash', undefined],
      [3, 'execution reverted: no', '0x08c379a0'],
    ] as const) {
      const network = createScripted(
        { debug_traceCall: nodeError(code, message, data) },
        { debug_traceCall: answer('1') },
      );
      const expected = { kind: 'refused', code, message, nodeData: data };
      await assert.rejects(pass(network, 'debug_traceCall'), expected);
      assert.deepEqual(askedOf(network, 1), []);
    }
  });

  it('of one node are no answer if another node has a result', async () => {
    for (const behaviour of [
      nodeError(-32000, 'required historical state unavailable'),
      nodeError(-32603, 'Internal error'),
      nodeError(-32001, 'Resource not found'),
      nodeError(-32005, 'limit exceeded'),
      nodeError(-40100, 'Unauthorized'),
      fault('httpStatus'),
      fault('unauthorized'),
    ]) {
      const network = createScripted({ debug_a: behaviour }, { debug_a: answer('7') });
      assert.equal(await pass(network, 'debug_a'), '7');
    }
  });

  it('that all nodes return are those of the last node, with its own code', async () => {
    for (const [code, message] of [
      [-32000, 'transaction 0xab not found'],
      [-32603, 'EVM error StackUnderflow'],
      [-32001, 'Resource not found'],
      [-39999, 'strange'],
    ] as const) {
      const refuse = nodeError(code, message, { why: [1, null] });
      const network = createScripted({ debug_a: refuse }, { debug_a: refuse });
      const expected = { kind: 'refused', code, message, nodeData: { why: [1, null] } };
      await assert.rejects(pass(network, 'debug_a'), expected);
      assert.deepEqual(
        network.nodes.map(({ upstream }) => [...upstream.faults.values()]),
        [[], []],
      );
    }
  });

  it('do not open the circuit of a node, however many a client provokes', async () => {
    const network = createScripted({ debug_a: nodeError(-32000, 'execution timeout') });
    for (let i = 0; i < 40; i++) await assert.rejects(pass(network, 'debug_a'), { code: -32000 });
    assert.equal(network.node.upstream.health.circuit, 'closed');
    assert.equal(network.node.upstream.faults.size, 0);
  });

  it('of the service’s own requests have the kind failed', async () => {
    const network = createScripted({ zks_a: nodeError(-39999, 'strange') });
    await assert.rejects(Promise.resolve(network.chain.request('zks_a', [], createScope())), {
      kind: 'failed',
    });
  });
});
