/** Nodes that an operator takes out of service. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NodeCordons, type NodeCordonsParts } from '../../src/pool/node-cordons.ts';
import { describeState, explainOutage } from '../../src/pool/node-state.ts';
import { order } from '../../src/pool/policies/order.ts';
import { Route } from '../../src/pool/route.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createExchange } from './support/exchange.ts';
import { ScriptedChain } from './support/scripted-chain.ts';
import { answer, createNode, type NodeParts, type ScriptedNode } from './support/scripted-node.ts';
import { setNode } from './support/set-node.ts';

const HEAD = new ScriptedChain({ length: 5 }).block(4);

const create = (name: string, parts: Partial<NodeParts> = {}): ScriptedNode =>
  createNode({ behaviour: answer('1'), name, ...parts });

function createCordons(
  nodes: readonly ScriptedNode[],
  parts: Partial<NodeCordonsParts> = {},
): NodeCordons & { readonly changes: () => number } {
  let changes = 0;
  const cordons = new NodeCordons({
    upstreams: nodes.map(({ upstream }) => upstream),
    head: { head: HEAD },
    onChange: () => changes++,
    ...parts,
  });
  return Object.assign(cordons, { changes: () => changes });
}

describe('NodeCordons', () => {
  it('takes a node out of the routes of new calls, and of calls that have a route already', async () => {
    const nodes = ['a', 'b', 'c'].map((name) => create(name));
    const upstreams = nodes.map(({ upstream }) => upstream);
    const cordons = createCordons(nodes);
    const [a, b, c] = upstreams;
    const early = new Route([...upstreams]);
    assert.equal(early.take(), a);
    assert.equal(await cordons.cordon('b', false), undefined);
    assert.equal(early.left, 1);
    assert.equal(early.take(), c);
    assert.ok(early.isExhausted);
    assert.equal(early.take(), undefined);
    const routed: string[] = [];
    const handler = order(upstreams)(async ({ route }) => {
      for (let node = route.take(); node !== undefined; node = route.take()) routed.push(node.name);
      return '1';
    });
    await handler(createExchange());
    assert.deepEqual(routed.toSorted(), ['a', 'c']);
    assert.deepEqual(
      cordons.list().map(({ isCordoned }) => isCordoned),
      [false, true, false],
    );
    assert.ok(b !== undefined);
    assert.ok(!b.isUp && !b.countsForHead);
    assert.deepEqual(describeState(b, 0), { state: 'excluded', reason: 'is cordoned by an operator' });
    assert.equal(explainOutage([b, b], 2), '2 nodes are cordoned by an operator');
    cordons.uncordon('b');
    assert.ok(b.isUp && b.countsForHead);
    routed.length = 0;
    await handler(createExchange());
    assert.deepEqual(routed.toSorted(), ['a', 'b', 'c']);
  });

  it('waits until another node has the served head, while the node still gets calls', async () => {
    let hasHead = false;
    const [a, b] = [create('a'), create('b', { tracker: { holds: () => hasHead } })];
    const cordons = createCordons([a, b]);
    let isDone = false;
    const cordoned = cordons.cordon('a', false).then((reason) => {
      isDone = true;
      return reason;
    });
    await waitUntil(() => !a.upstream.countsForHead);
    assert.ok(a.upstream.isUp && !a.upstream.isCordoned);
    assert.equal(cordons.changes(), 1);
    assert.equal(isDone, false);
    hasHead = true;
    assert.equal(await cordoned, undefined);
    assert.ok(a.upstream.isCordoned);
    assert.equal(cordons.changes(), 2);
  });

  it('puts a node back into service if no other node gets the served head, unless it is forced', async () => {
    const [a, b] = [create('a'), create('b', { tracker: { holds: () => false } })];
    const cordons = createCordons([a, b], { headLimitMs: 20 });
    assert.equal(await cordons.cordon('a', false), 'no other node has the head of the network');
    assert.ok(a.upstream.isUp && a.upstream.countsForHead);
    assert.equal(await cordons.cordon('a', true), undefined);
    assert.ok(a.upstream.isCordoned);
  });

  it('does not undo a later change of a node whose cordon still waits', async () => {
    let hasHead = false;
    const [a, b] = [create('a'), create('b', { tracker: { holds: () => hasHead } })];
    const cordons = createCordons([a, b], { headLimitMs: 20 });
    const late = 'another change of the node came in between';
    const refused = cordons.cordon('a', false);
    assert.equal(await cordons.cordon('a', true), undefined);
    assert.equal(await refused, late);
    assert.ok(a.upstream.isCordoned);
    cordons.uncordon('a');
    const granted = cordons.cordon('a', false);
    cordons.uncordon('a');
    hasHead = true;
    assert.equal(await granted, late);
    assert.ok(a.upstream.isUp && !a.upstream.isCordoned);
    assert.equal(await cordons.cordon('a', false), undefined);
    assert.ok(a.upstream.isCordoned);
  });

  it('does not cordon the last node that can answer, also if both are cordoned at once', async () => {
    for (const state of [
      { missedPolls: 2 },
      { standing: 'quarantined' },
      { isOnFork: true },
      { vote: 'syncing' },
    ] as const) {
      const [a, b] = [create('a'), create('b')];
      setNode(b.upstream, state);
      assert.equal(await createCordons([a, b]).cordon('a', false), 'no other node of the network can answer');
      assert.ok(a.upstream.countsForHead);
    }
    const nodes = [create('a'), create('b')];
    const cordons = createCordons(nodes);
    const outcomes = await Promise.all(['a', 'b'].map((name) => cordons.cordon(name, false)));
    assert.deepEqual(outcomes, [undefined, 'no other node of the network can answer']);
    assert.equal(await cordons.cordon('a', false), undefined);
  });

  it('does not cordon a node that agreement or sends need', async () => {
    const nodes = [
      create('a', { operator: 'x' }),
      create('b', { operator: 'y' }),
      create('c', { operator: 'y' }),
    ];
    assert.equal(
      await createCordons(nodes, { neededOperators: 2 }).cordon('a', false),
      'the other nodes that can answer have 1 operator, and agreement needs 2',
    );
    assert.equal(await createCordons(nodes, { neededOperators: 2 }).cordon('b', false), undefined);
    const sending = createCordons(nodes, { sendsTo: ['a'] });
    assert.equal(await sending.cordon('a', false), 'no other node of send.to can take transactions');
    assert.equal(await sending.cordon('c', true), undefined);
  });
});
