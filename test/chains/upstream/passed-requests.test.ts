import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UNSUPPORTED } from '../../../src/chain/errors.ts';
import { READ_METHODS } from '../../../src/chains/upstream/read-methods.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { createNetwork, type ScriptedNetwork } from '../../pool/support/network.ts';
import { ScriptedChain } from '../../pool/support/scripted-chain.ts';
import { answer, type Behaviour, createNode, fault, nodeError } from '../../pool/support/scripted-node.ts';

const chain = new ScriptedChain({ length: 400 });
const ADDRESS = `0x${'ab'.repeat(20)}`;

/** A network of nodes with one behaviour for everything except blocks. */
function createEcho(behaviour: Behaviour = answer('"0x10"'), count = 1): ScriptedNetwork {
  const either: Behaviour = (call, options) =>
    (call.method.startsWith('eth_getBlockBy') ? chain.behaviour() : behaviour)(call, options);
  return createNetwork(
    chain,
    {},
    Array.from({ length: count }, (_, tier) => createNode({ behaviour: either, tier })),
  );
}

const lastParams = ({ node }: ScriptedNetwork): unknown =>
  JSON.parse(node.requested.calls.at(-1)?.params ?? '');

describe('methods of nodes', () => {
  it('get the served block in place of a tag, in whatever position', async () => {
    const cases: readonly (readonly [string, readonly unknown[], readonly unknown[]])[] = [
      ['eth_getBalance', [ADDRESS, 'latest'], [ADDRESS, '0x18f']],
      ['eth_getStorageAt', [ADDRESS, '0x0', 'latest'], [ADDRESS, '0x0', '0x18f']],
      ['eth_getProof', [ADDRESS, [], 'earliest'], [ADDRESS, [], '0x0']],
      ['eth_createAccessList', [{}], [{}, '0x18f']],
      ['eth_feeHistory', ['0x5', 'latest', [50]], ['0x5', '0x18f', [50]]],
    ];
    for (const [method, params, sent] of cases) {
      const network = createEcho();
      assert.equal(await network.chain.request(method, params, createScope()), '"0x10"');
      assert.deepEqual(lastParams(network), sent, method);
    }
  });

  it('share answers to the same request at the same block', async () => {
    const { chain: served, requested } = createEcho();
    const names = ['latest', '0x18f', { blockHash: chain.hashOf(399) }];
    for (const name of names) {
      for (const address of [ADDRESS, ADDRESS.replaceAll('ab', 'AB')]) {
        await served.request('eth_getBalance', [address, name], createScope());
      }
    }
    assert.equal(requested().length, 1);
    await served.request('eth_getBalance', [ADDRESS, '0x18e'], createScope());
    await served.request('eth_getCode', [ADDRESS, 'latest'], createScope());
    assert.equal(requested().length, 3);
  });

  it('cache nothing of pending', async () => {
    const { chain: served, requested } = createEcho();
    for (let i = 0; i < 2; i++) await served.request('eth_getBalance', [ADDRESS, 'pending'], createScope());
    assert.deepEqual(requested(), Array(2).fill(`eth_getBalance ["${ADDRESS}","pending"]`));
  });

  it('are above the head null for blocks, and an error for state', async () => {
    const { chain: served, requested } = createEcho();
    assert.equal(await served.request('eth_getBlockByNumber', ['0x190', false], createScope()), 'null');
    await assert.rejects(served.request('eth_getBalance', [ADDRESS, '0x190'], createScope()), {
      kind: 'failed',
      message: 'header not found',
    });
    assert.deepEqual(requested(), []);
  });

  it('refuse an invalid block reference as an invalid parameter', async () => {
    const { chain: served } = createEcho();
    for (const params of [[], [ADDRESS], [ADDRESS, null], [ADDRESS, 'newest'], [ADDRESS, 7], [ADDRESS, {}]]) {
      await assert.rejects(served.request('eth_getBalance', params, createScope()), { kind: 'invalid' });
    }
  });

  it('refuse a block by number with another hash, take it from the next node, and cache nothing wrong', async () => {
    const fork = new ScriptedChain({ length: 400, salt: 5, forkedFrom: 390 });
    const nodes = [
      createNode({ behaviour: fork.behaviour(), tier: 1 }),
      createNode({ behaviour: chain.behaviour(), tier: 2 }),
    ];
    const { chain: served } = createNetwork(chain, {}, nodes);
    for (let i = 0; i < 2; i++) {
      const block = await served.request('eth_getBlockByNumber', ['latest', true], createScope());
      assert.equal((JSON.parse(block as string) as { hash: string }).hash, chain.hashOf(399));
    }
    const alone = createNetwork(chain, {}, nodes.slice(0, 1));
    await assert.rejects(alone.chain.request('eth_getBlockByNumber', ['latest', true], createScope()), {
      name: 'ChainError',
    });
  });

  it('of other names are sent unchanged except for a tag, and their null is accepted', async () => {
    const network = createEcho(answer('null'), 2);
    assert.equal(await network.chain.request('linea_x', ['latest', 1], createScope()), 'null');
    assert.deepEqual(network.requested(), ['linea_x ["0x18f",1]']);
  });

  it('are unsupported if no node has them, and answered if one has them', async () => {
    const lacks = nodeError(-32601, 'the method does not exist');
    const none = createEcho(lacks, 2);
    for (let i = 0; i < 2; i++) {
      assert.equal(await none.chain.request('linea_x', [], createScope()), UNSUPPORTED);
    }
    assert.equal(none.requested().length, 2);
    const some = createNetwork(chain, {}, [
      createNode({ behaviour: lacks, tier: 1 }),
      createNode({ behaviour: answer('7'), tier: 2 }),
    ]);
    assert.equal(await some.chain.request('linea_x', [], createScope()), '7');
  });

  it('that are refused with HTTP 403 are unsupported, without an effect on the health of the node', async () => {
    const refusing = createEcho(fault('unauthorized'));
    for (let i = 0; i < 50; i++)
      assert.equal(await refusing.chain.request('zks_x', [], createScope()), UNSUPPORTED);
    assert.equal(refusing.node.upstream.isAway, false);
    await assert.rejects(refusing.chain.request('eth_gasPrice', [], createScope()), { kind: 'unavailable' });
  });

  it('turn faults into errors of the chain', async () => {
    const cases: readonly (readonly [Behaviour, string])[] = [
      [nodeError(-39999, 'strange'), 'failed'],
      [nodeError(4444, 'pruned history unavailable'), 'pruned'],
      [nodeError(-32005, 'limit exceeded'), 'busy'],
      [nodeError(-32000, 'header not found'), 'failed'],
    ];
    for (const [behaviour, kind] of cases) {
      await assert.rejects(createEcho(behaviour).chain.request('eth_gasPrice', [], createScope()), {
        name: 'ChainError',
        kind,
      });
    }
  });
});

it('methods that are served by default do not write, sign, or leave state behind', () => {
  for (const name of READ_METHODS.keys()) {
    assert.match(name, /^eth_(get(?!Filter|Work)|createAccessList|feeHistory|gasPrice|max|blobBase|syncing)/);
  }
});
