import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChainError } from '../../src/chain/errors.ts';
import { findMajorityChain } from '../../src/pool/chain-claims.ts';
import { NetworkChainId } from '../../src/pool/network-chain-id.ts';
import type { Upstream } from '../../src/pool/upstream.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { answer, createNode } from './support/scripted-node.ts';
import { setNode } from './support/set-node.ts';

const [GENESIS, OTHER_GENESIS] = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`];
const WITH_NAME = 'set pool.chainId to skip this step';

type Said = { readonly id?: bigint; readonly operator?: string; readonly genesis?: string | undefined };

/** A node that reported an id; one without an id counts as overdue unless it is awaited. */
function node({ id, operator, genesis }: Said = {}, isAwaited = false): Upstream {
  const named = operator === undefined ? {} : { operator };
  const { upstream } = createNode({ behaviour: answer('null'), isNew: true, ...named });
  if (id !== undefined) {
    const identity = { chainId: id, genesisHash: genesis, clientVersion: '', knowsHashParameters: true };
    setNode(upstream, { identity });
  } else if (!isAwaited) setNode(upstream, { identityFault: { kind: 'unreachable', message: '' } });
  setNode(upstream, { isAwaited });
  return upstream;
}

describe('findMajorityChain', () => {
  const find = (nodes: readonly Upstream[]): bigint | undefined => findMajorityChain(nodes, {})?.chainId;

  it('returns the chain of more than half of the configured operators, however many answer', () => {
    assert.equal(find([node({ id: 1n })]), 1n);
    assert.equal(find([node({ id: 5n }), node(), node()]), undefined);
    assert.equal(find([node({ id: 1n }), node()]), undefined);
    assert.equal(find([node({ id: 5n }), node({ id: 1n }), node()]), undefined);
    assert.equal(find([node({ id: 5n }), node({ id: 1n }), node({ id: 1n })]), 1n);
    assert.equal(find([node({ id: 1n }), node({ id: 1n }), node(), node()]), undefined);
    assert.equal(find([node({ id: 1n }), node({ id: 1n }), node({ id: 1n }), node()]), 1n);
  });

  it('counts nodes of one operator once, with the chain of more than half of them', () => {
    const liars = [1, 2, 3].map(() => node({ id: 5n, operator: 'liar' }));
    assert.equal(find([...liars, node({ id: 1n }), node()]), undefined);
    assert.equal(find([...liars, node({ id: 1n }), node({ id: 1n })]), 1n);
    assert.equal(find([node({ id: 5n, operator: 'a' }), node({ id: 1n, operator: 'a' })]), undefined);
    assert.equal(find([node({ id: 1n, operator: 'a' }), node({ operator: 'a' })]), 1n);
  });

  it('waits until all nodes of an operator have answered or are overdue', () => {
    const silent = node({ operator: 'a' }, true);
    const nodes = [node({ id: 5n, operator: 'a' }), silent];
    assert.equal(find(nodes), undefined);
    setNode(silent, { isAwaited: false });
    assert.equal(find(nodes), 5n);
  });

  it('returns the genesis hash that more than half agree on, or none yet', () => {
    const ours = { id: 1n, genesis: GENESIS };
    const identity = { chainId: 1n, genesisHash: GENESIS };
    assert.deepEqual(findMajorityChain([node(ours), node(ours), node()], {}), identity);
    const split = [node(ours), node({ id: 1n, genesis: OTHER_GENESIS })];
    assert.deepEqual(findMajorityChain(split, {}), { chainId: 1n, genesisHash: undefined });
    // This node discarded block 0.
    assert.deepEqual(findMajorityChain([node(ours), node({ id: 1n }), node()], {}), identity);
    const configured = { chainId: 1n, genesisHash: OTHER_GENESIS };
    assert.deepEqual(findMajorityChain([node(), node()], configured), configured);
  });
});

describe('NetworkChainId', () => {
  const scope = (): RequestScope => new RequestScope(performance.now() + 60_000);

  it('has the configured value at once', () => {
    const chainId = new NetworkChainId([node()], { chainId: 7n });
    assert.deepEqual([chainId.value, chainId.known, chainId.find(scope())], [7n, 7n, 7n]);
  });

  it('throws an error that names the missing reports, and the option to set if it would help', () => {
    const alone = new NetworkChainId([node()], {});
    const message = 'the chain id of the network is not known yet: the only node does not answer';
    assert.throws(() => alone.value, new ChainError('unavailable', message));
    assert.throws(() => alone.find(scope()), new ChainError('unavailable', message));
    const three = new NetworkChainId([node({ id: 5n }), node(), node()], {});
    assert.equal(
      three.explain(),
      `the chain id of the network is not known yet: 2 of 3 operators must report the same; 1 of 3 operators reported 5; 2 nodes do not answer; ${WITH_NAME}`,
    );
  });

  it('names the fault of another server at the URL of the node, and no option that would not help', () => {
    const other = node();
    const fault = { kind: 'httpStatus', message: 'the node answered with HTTP status 404' } as const;
    setNode(other, { identityFault: fault });
    assert.equal(
      new NetworkChainId([other], {}).explain(),
      'the chain id of the network is not known yet: the only node does not report a chain id: ' +
        'it answered with HTTP status 404; check that the URL is the JSON-RPC URL of a node',
    );
  });

  it('waits while a node may still answer, and then releases waiting requests', async () => {
    const nodes = [node({}, true), node({}, true)];
    const chainId = new NetworkChainId(nodes, {});
    const [found, requested] = [
      chainId.find(scope()),
      chainId.gate({ scope: scope() } as never, () => '"0x1"'),
    ];
    chainId.noteChange();
    chainId.learn(3n);
    assert.deepEqual([await found, await requested, chainId.find(scope())], [3n, '"0x1"', 3n]);
  });

  it('rejects as soon as no node may answer any more', async () => {
    const nodes = [node({}, true)];
    const chainId = new NetworkChainId(nodes, {});
    const found = chainId.find(scope());
    for (const each of nodes) setNode(each, { isAwaited: false });
    chainId.noteChange();
    await assert.rejects(async () => found, { kind: 'unavailable' });
  });

  it('rejects at the deadline of a request', async () => {
    const chainId = new NetworkChainId([node({}, true)], {});
    await assert.rejects(async () => chainId.find(new RequestScope(performance.now() + 10)), {
      kind: 'unavailable',
    });
  });
});
