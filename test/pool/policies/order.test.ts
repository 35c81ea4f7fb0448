import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import type { BlockHeader } from '../../../src/pool/heads/block.ts';
import { order } from '../../../src/pool/policies/order.ts';
import type { UpstreamRequest } from '../../../src/pool/upstream-request.ts';
import { BOUNDS } from '../../../src/util/bounds.ts';
import { createExchange, createScope } from '../support/exchange.ts';
import { answer, createNode, type NodeParts, type ScriptedNode } from '../support/scripted-node.ts';
import { setNode } from '../support/set-node.ts';

const well = (parts: Partial<NodeParts> = {}): ScriptedNode =>
  createNode({ behaviour: answer('1'), ...parts });

/** A policy over these nodes that returns the names of the nodes in its order. */
function createOrder(
  nodes: readonly ScriptedNode[],
): (call?: Partial<UpstreamRequest>, batch?: object) => Promise<readonly string[]> {
  const names: string[] = [];
  const handler = order(nodes.map(({ upstream }) => upstream))(async ({ route }) => {
    names.length = 0;
    for (let node = route?.take(); node !== undefined; node = route?.take()) names.push(node.name);
    return '1';
  });
  return async (call = {}, batch) => {
    const scope = createScope();
    scope.batch = batch;
    await handler(createExchange(call, scope));
    return [...names];
  };
}

/** Rejects as an asynchronous policy does, although `order` throws synchronously. */
async function refuse(
  nodes: readonly ScriptedNode[],
  call?: Partial<UpstreamRequest>,
): Promise<UpstreamFault> {
  try {
    await createOrder(nodes)(call);
  } catch (error) {
    assert.ok(error instanceof UpstreamFault);
    return error;
  }
  throw new Error('a node was asked');
}

const HASH = `0x${'ab'.repeat(32)}`;

describe('order', () => {
  it('never sends to a node of another chain, on a fork, or not yet identified', async () => {
    const nodes = ['quarantined', 'unverified', 'forked', 'well'].map((name) => well({ name }));
    const [quarantined, unverified, forked] = nodes.map(({ upstream }) => upstream);
    if (quarantined === undefined || unverified === undefined || forked === undefined) assert.fail();
    setNode(quarantined, { standing: 'quarantined' });
    setNode(unverified, { standing: 'unverified' });
    setNode(forked, { isOnFork: true });
    assert.deepEqual(await createOrder(nodes)(), ['well']);
    const { kind, message } = await refuse(nodes.slice(0, 3));
    assert.equal(kind, 'unreachable');
    assert.equal(
      message,
      '1 node is of another chain, 1 node is not identified yet, 1 node has blocks that contradict the chain',
    );
  });

  it('tests nodes that do not answer polls with one request at a time, and refuses all others', async () => {
    const nodes = ['a', 'b'].map((name) => well({ name }));
    for (const { upstream } of nodes) setNode(upstream, { missedPolls: 2 });
    const ask = createOrder(nodes);
    assert.deepEqual(await ask(), ['a', 'b']);
    const [a, b] = nodes.map(({ upstream }) => upstream);
    if (a === undefined || b === undefined) assert.fail();
    a.health.inFlight = 1;
    assert.deepEqual(await ask(), ['b']);
    b.health.inFlight = 1;
    const { kind, message } = await refuse(nodes);
    assert.deepEqual([kind, message], ['unreachable', '2 nodes do not answer']);
    setNode(b, { missedPolls: 0 });
    assert.deepEqual(await ask(), ['b', 'a'], 'a node that answers polls gets every request');
  });

  it('counts a node that another request tests as absent, so that a null of the others is not certain', async () => {
    const nodes = ['a', 'b'].map((name) => well({ name }));
    for (const { upstream } of nodes) setNode(upstream, { missedPolls: 2 });
    const counts: (readonly [left: number, total: number])[] = [];
    const handler = order(nodes.map(({ upstream }) => upstream))(async ({ route }) => {
      counts.push([route.left, route.total]);
      return 'null';
    });
    await handler(createExchange({ nulls: 'certain' }, createScope()));
    (nodes[0] as ScriptedNode).upstream.health.inFlight = 1;
    await handler(createExchange({ nulls: 'certain' }, createScope()));
    assert.deepEqual(counts, [
      [2, 2],
      [1, 2],
    ]);
  });

  it('limits the time of a request that tests a node, and says that no node answers', async () => {
    const node = well({ name: 'only' });
    setNode(node.upstream, { missedPolls: 2 });
    const limits: number[] = [];
    const handler = order([node.upstream])(async ({ scope }) => {
      limits.push(scope.deadline);
      throw new UpstreamFault('timeout', 'no answer in time');
    });
    const exchange = createExchange({}, createScope(30_000));
    const { deadline } = exchange.scope;
    await assert.rejects(async () => handler(exchange), {
      kind: 'unreachable',
      message: 'the only node does not answer',
    });
    assert.ok((limits[0] as number) < deadline - 20_000);
  });

  it('sends up to 100 items of a batch to one node while it is as healthy as the others', async () => {
    const nodes = ['a', 'b'].map((name) => well({ name }));
    const [a, b] = nodes.map(({ upstream }) => upstream);
    if (a === undefined || b === undefined) assert.fail();
    a.health.succeed(10);
    b.health.succeed(10);
    const ask = createOrder(nodes);
    const batch = {};
    for (let item = 0; item < 100; item++) {
      const order = await ask({}, batch);
      assert.deepEqual(order, ['a', 'b'], `${item}`);
      a.health.inFlight++;
    }
    assert.deepEqual(await ask({}, {}), ['b', 'a'], 'another batch');
    assert.deepEqual(await ask(), ['b', 'a'], 'a call by itself');
    assert.deepEqual(await ask({}, batch), ['b', 'a'], 'the next hundred');
    setNode(b, { missedPolls: 2 });
    assert.deepEqual(await ask({}, batch), ['a', 'b'], 'the node has gone');
  });

  it('sends to lagging and syncing nodes last, only for blocks that they have, and never if a vote is needed', async () => {
    const latest = { number: 9n } as BlockHeader;
    const stale = (['lagging', 'syncing'] as const).map((vote) => {
      const node = well({ name: vote, tier: 1, tracker: { latest, holds: (number) => number <= 9n } });
      setNode(node.upstream, { vote });
      return node;
    });
    const reserve = well({ name: 'reserve', tier: 2 });
    setNode(reserve.upstream, { vote: 'lowerTier' });
    const nodes = [...stale, reserve, well({ name: 'well', tier: 1 })];
    const old = { number: 5n, hash: HASH };
    assert.deepEqual(await createOrder(nodes)({ block: old }), ['well', 'reserve', 'lagging', 'syncing']);
    const recent = { number: 10n, hash: HASH };
    assert.deepEqual(await createOrder(nodes)({ block: recent, isBound: true }), ['well', 'reserve']);
    assert.deepEqual(await createOrder(nodes)({ needsVote: true }), ['well']);
  });

  it('reports the heads of the nodes when all are behind the block and lack it', async () => {
    const latest = { number: 9n } as BlockHeader;
    const behind = well({ tracker: { latest, holds: () => false } });
    const block = { number: 10n, hash: HASH };
    const reject = (kind: 'missing' | 'timeout'): Promise<unknown> =>
      order([behind.upstream])(() => Promise.reject(new UpstreamFault(kind, 'Resource not found')))(
        createExchange({ block, isBound: true }),
      );
    const message = 'no node has block 10 now: the only node is at block 9';
    await assert.rejects(reject('missing'), { kind: 'unreachable', message });
    await assert.rejects(reject('timeout'), { kind: 'timeout' });
    assert.equal((await refuse([behind], { block })).message, message);
  });

  it('sends to a seemingly lagging node last, and only if it cannot answer for another block', async () => {
    const latest = { number: 9n } as BlockHeader;
    const lagging = well({ name: 'lagging', tracker: { latest, holds: () => false } });
    const nodes = [lagging, well({ name: 'level', tracker: { holds: () => true } })];
    const block = { number: 10n, hash: HASH };
    assert.deepEqual(await createOrder(nodes)({ block, isBound: true }), ['level', 'lagging']);
    assert.deepEqual(await createOrder(nodes)({ block }), ['level']);
    assert.deepEqual(await createOrder([lagging])({ block, isBound: true }), ['lagging']);
    const forked = well({
      name: 'forked',
      tracker: { latest: { ...latest, number: 10n }, holds: () => false },
    });
    assert.equal((await refuse([forked], { block, isBound: true })).kind, 'unreachable');
  });

  it('sends only to nodes that have the block', async () => {
    const has = (name: string, height: bigint): ScriptedNode =>
      well({ name, tracker: { holds: (number, hash) => number <= height && hash === HASH } });
    const nodes = [has('behind', 9n), has('level', 10n), has('ahead', 11n)];
    const block = { number: 10n, hash: HASH };
    assert.deepEqual((await createOrder(nodes)({ block })).toSorted(), ['ahead', 'level']);
    assert.equal((await refuse(nodes, { block: { number: 12n, hash: HASH } })).kind, 'unreachable');
    assert.equal((await refuse(nodes, { block: { number: 1n, hash: '0xother' } })).kind, 'unreachable');
  });

  it('sends only to nodes that have the method, unless it can be replaced by others', async () => {
    const nodes = ['without', 'with'].map((name) => well({ name }));
    nodes[0]?.upstream.noteUnsupported('eth_call');
    assert.deepEqual(await createOrder(nodes)(), ['with']);
    assert.deepEqual((await createOrder(nodes)({ batch: () => [] })).toSorted(), ['with', 'without']);
    nodes[1]?.upstream.noteUnsupported('eth_call');
    assert.equal((await refuse(nodes)).kind, 'unsupported');
  });

  it('lower tiers come first, whatever their latency', async () => {
    const nodes = [well({ name: 'second', tier: 2 }), well({ name: 'first', tier: 1 })];
    nodes[1]?.upstream.health.succeed(1_000);
    assert.deepEqual(await createOrder(nodes)(), ['first', 'second']);
  });

  it('within a tier, the fastest node comes first, then nodes with fewer faults and fewer calls in flight', async () => {
    const nodes = ['slow', 'fast', 'faulty', 'busy'].map((name) => well({ name }));
    const [slow, fast, faulty, busy] = nodes.map(({ upstream }) => upstream.health);
    slow?.succeed(500);
    fast?.succeed(10);
    busy?.succeed(10);
    faulty?.succeed(10);
    faulty?.fail(10);
    if (busy !== undefined) busy.inFlight = 20;
    assert.deepEqual(await createOrder(nodes)(), ['fast', 'faulty', 'busy', 'slow']);
  });

  it('a node with an open circuit or without answers to polls comes last, in any tier', async () => {
    const nodes = [
      well({ name: 'open', tier: 1 }),
      well({ name: 'away', tier: 1 }),
      well({ name: 'spare', tier: 9 }),
    ];
    for (let i = 0; i < 5; i++) nodes[0]?.upstream.health.fail(1);
    const away = nodes[1]?.upstream;
    if (away === undefined) assert.fail();
    setNode(away, { missedPolls: 2 });
    assert.equal((await createOrder(nodes)())[0], 'spare');
    assert.equal((await createOrder(nodes)()).length, 3);
    assert.deepEqual(await createOrder(nodes.slice(0, 1))(), ['open']);
  });

  it('after its backoff a node gets one call at a time', async () => {
    let now = 0;
    const nodes = [well({ name: 'rested', tier: 1, now: () => now }), well({ name: 'spare', tier: 2 })];
    const health = nodes[0]?.upstream.health;
    if (health === undefined) assert.fail();
    for (let i = 0; i < 5; i++) health.fail(1);
    const ask = createOrder(nodes);
    assert.deepEqual(await ask(), ['spare', 'rested']);
    now = 60_000;
    assert.equal(health.circuit, 'halfOpen');
    assert.deepEqual(await ask(), ['rested', 'spare']);
    health.inFlight = 1;
    assert.deepEqual(await ask(), ['spare', 'rested']);
    health.inFlight = 0;
    health.succeed(1);
    health.inFlight = 1;
    assert.deepEqual(await ask(), ['rested', 'spare']);
  });

  it('a rate-limited node is skipped; if all are, the shortest pause is reported', async () => {
    let now = 0;
    const nodes = ['a', 'b'].map((name) => well({ name, now: () => now }));
    nodes[0]?.upstream.health.pause(5_000);
    assert.deepEqual(await createOrder(nodes)(), ['b']);
    nodes[1]?.upstream.health.pause(3_000);
    now = 1_000;
    const { kind, retryAfterMs } = await refuse(nodes);
    assert.deepEqual([kind, retryAfterMs], ['rateLimited', 2_000]);
    now = 3_000;
    assert.deepEqual(await createOrder(nodes)(), ['b']);
  });

  it('when all nodes are paused, the fault has the bound and message of the earliest to end', async () => {
    for (const bound of ['node.inFlight', 'nodes.bytes', 'nodes.rate'] as const) {
      const nodes = ['a', 'b'].map((name) => well({ name, now: () => 0 }));
      for (const { upstream } of nodes) upstream.health.pause(100, bound);
      const fault = await refuse(nodes);
      assert.deepEqual([fault.bound, fault.message], [bound, BOUNDS[bound].says]);
      nodes[1]?.upstream.health.pause(5_000, 'node.inFlight');
      assert.equal((await refuse(nodes)).bound, bound, 'that of the soonest');
    }
  });

  it('sticky calls stay with one node while it is healthy, and then move to another', async () => {
    const nodes = ['a', 'b', 'c'].map((name) => well({ name }));
    const ask = createOrder(nodes);
    const [favourite] = await ask({ isSticky: true });
    const node = nodes.find(({ upstream }) => upstream.name === favourite);
    if (node === undefined) assert.fail();
    node.upstream.health.succeed(3_000);
    assert.notEqual((await ask())[0], favourite);
    assert.equal((await ask({ isSticky: true }))[0], favourite);
    setNode(node.upstream, { missedPolls: 2 });
    const [successor] = await ask({ isSticky: true });
    assert.notEqual(successor, favourite);
    setNode(node.upstream, { missedPolls: 0 });
    assert.equal((await ask({ isSticky: true }))[0], successor);
    const gone = nodes.find(({ upstream }) => upstream.name === successor);
    for (let i = 0; i < 5; i++) gone?.upstream.health.fail(1);
    assert.notEqual((await ask({ isSticky: true }))[0], successor);
  });

  it('sticky calls leave a node that falls behind', async () => {
    const nodes = ['a', 'b'].map((name) => well({ name }));
    const ask = createOrder(nodes);
    const [favourite] = await ask({ isSticky: true });
    for (const { upstream } of nodes) if (upstream.name === favourite) setNode(upstream, { vote: 'lagging' });
    assert.notEqual((await ask({ isSticky: true }))[0], favourite);
  });
});
