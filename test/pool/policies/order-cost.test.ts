/** Choice of nodes by price and budget. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { UpstreamFault } from '../../../src/pool/fault.ts';
import { order } from '../../../src/pool/policies/order.ts';
import { Route } from '../../../src/pool/route.ts';
import type { UpstreamRequest } from '../../../src/pool/upstream-request.ts';
import { createSpend } from '../support/create-spend.ts';
import { createExchange, createScope } from '../support/exchange.ts';
import { answer, createNode, type NodeParts, type ScriptedNode } from '../support/scripted-node.ts';
import { setNode } from '../support/set-node.ts';

/** Creates a node whose calls cost this price, or whose calls are free. */
function node(name: string, price?: number, parts: Partial<NodeParts> = {}): ScriptedNode {
  const spend = price === undefined ? {} : { spend: createSpend({ default: price, eth_getLogs: 1 }) };
  return createNode({ behaviour: answer('1'), name, ...spend, ...parts });
}

function spent(name: string, hard = false): ScriptedNode {
  const spend = createSpend({ default: 5 }, { credits: 5, hard });
  spend.charge(5);
  return createNode({ behaviour: answer('1'), name, spend });
}

type Chosen = { readonly first: readonly string[]; readonly reserve: readonly string[] };

/** Returns a function that lists the names of the nodes of a route. */
function createOrder(
  nodes: readonly ScriptedNode[],
): (call?: Partial<UpstreamRequest>, batch?: object) => Promise<Chosen> {
  let chosen: Chosen = { first: [], reserve: [] };
  const handler = order(nodes.map(({ upstream }) => upstream))(async ({ route }) => {
    const take = (next: () => ScriptedNode['upstream'] | undefined): string[] => {
      const names: string[] = [];
      for (let one = next(); one !== undefined; one = next()) names.push(one.name);
      return names;
    };
    chosen = { first: take(() => route.take()), reserve: take(() => route.takeAny()) };
    return '1';
  });
  return async (call = {}, batch) => {
    const scope = createScope();
    scope.batch = batch;
    await handler(createExchange(call, scope));
    return chosen;
  };
}

async function listNames(nodes: readonly ScriptedNode[], call?: Partial<UpstreamRequest>): Promise<string> {
  return (await createOrder(nodes)(call)).first.join(' ');
}

function measure({ upstream }: ScriptedNode, latencyMs: number, calls = 20): void {
  for (let call = 0; call < calls; call++) upstream.health.succeed(latencyMs);
}

describe('order by price', () => {
  it('prefers free nodes, then cheaper ones, even if dearer ones are faster', async () => {
    const nodes = [node('dear', 80), node('cheap', 20), node('own')];
    for (const [i, latency] of [5, 20, 40].entries()) measure(nodes[i] as ScriptedNode, latency);
    assert.equal(await listNames(nodes), 'own cheap dear');
  });

  it('uses the price of the method', async () => {
    const spend = createSpend({ default: 100, eth_call: 1 });
    const nodes = [node('flat', 20), createNode({ behaviour: answer('1'), name: 'calls', spend })];
    assert.equal(await listNames(nodes, { method: 'eth_call' }), 'calls flat');
    assert.equal(await listNames(nodes, { method: 'eth_getBalance' }), 'flat calls');
  });

  it('sorts nodes of one price by latency, as without prices', async () => {
    const nodes = [node('slow', 20), node('fast', 20)];
    measure(nodes[0] as ScriptedNode, 50);
    measure(nodes[1] as ScriptedNode, 5);
    assert.equal(await listNames(nodes), 'fast slow');
  });

  it('does not prefer a cheaper node that is late, fails, or is of a higher tier or rank', async () => {
    const dear = node('dear', 80);
    measure(dear, 10);
    const late = node('late');
    measure(late, 131);
    assert.equal(await listNames([late, dear]), 'dear late');
    const slow = node('slow');
    measure(slow, 129);
    assert.equal(await listNames([slow, dear]), 'slow dear', 'within the bound');
    const failing = node('failing');
    measure(failing, 10);
    for (let call = 0; call < 3; call++) failing.upstream.health.fail(10);
    assert.equal(await listNames([failing, dear]), 'dear failing');
    assert.equal(await listNames([node('second', undefined, { tier: 2 }), dear]), 'dear second');
    const lagging = node('lagging');
    setNode(lagging.upstream, { vote: 'lagging' });
    assert.equal(await listNames([lagging, dear]), 'dear lagging');
    const limited = node('limited');
    limited.upstream.health.pause(60_000);
    assert.equal(await listNames([limited, dear]), 'dear');
  });

  it('compares latencies only with those of working nodes of the same rank and tier', async () => {
    const create = (name: string, latencyMs: number, price?: number, tier = 1): ScriptedNode => {
      const created = node(name, price, { tier });
      measure(created, latencyMs);
      return created;
    };
    const failing = create('failing', 1);
    for (let call = 0; call < 4; call++) failing.upstream.health.fail(1);
    assert.equal(failing.upstream.health.circuit, 'closed');
    const open = create('open', 1);
    for (let call = 0; call < 5; call++) open.upstream.health.fail(1, {});
    const lagging = create('lagging', 1);
    setNode(lagging.upstream, { vote: 'lagging' });
    for (const other of [failing, open, lagging]) {
      const names = await listNames([create('cheap', 250, 20), create('dear', 200, 80), other]);
      assert.equal(names, `cheap dear ${other.upstream.name}`);
    }
    const lower = [create('cheap', 250, 20, 2), create('dear', 200, 80, 2)];
    assert.equal(await listNames([create('local', 1), ...lower]), 'local cheap dear');
  });

  it('does not take a node without recent calls for the fastest', async () => {
    const own = node('own');
    measure(own, 500);
    assert.equal(await listNames([node('idle', 80), own]), 'own idle');
  });

  it('leaves a dearer node when a cheaper one can serve again, also for batches and pending state', async () => {
    const [own, dear] = [node('own'), node('dear', 80)];
    let isPaused = true;
    Object.defineProperty(own.upstream.health, 'isPaused', { get: () => isPaused });
    const choose = createOrder([own, dear]);
    const batch = {};
    assert.equal((await choose({ isSticky: true })).first[0], 'dear');
    assert.equal((await choose({}, batch)).first[0], 'dear');
    isPaused = false;
    assert.equal((await choose({ isSticky: true })).first[0], 'own');
    assert.equal((await choose({}, batch)).first[0], 'own');
  });
});

describe('order by budget', () => {
  it('requests a certain null last from a node whose budget is used up, and does not wait for a barred one', async () => {
    const nodes = [spent('spent'), node('dear', 80), spent('barred', true), node('second', 80, { tier: 2 })];
    let total: number | undefined;
    const names: string[] = [];
    const handler = order(nodes.map(({ upstream }) => upstream))(async ({ route }) => {
      total = route.total;
      for (let one = route.take(); one !== undefined; one = route.take()) names.push(one.name);
      return '1';
    });
    await handler(createExchange({ nulls: 'certain' }));
    assert.deepEqual(names, ['dear', 'second', 'spent']);
    assert.equal(total, 3);
  });

  it('keeps a barred node out of the election of the head', () => {
    const [soft, hard] = [spent('soft').upstream, spent('hard', true).upstream];
    assert.deepEqual([soft.countsForHead, hard.countsForHead], [true, false]);
    assert.deepEqual([soft.isOutOfUse, hard.isOutOfUse], [false, true]);
  });

  it('puts a node of the reserve that is given back into the reserve again', () => {
    const [dear, soft] = [node('dear', 80).upstream, spent('soft').upstream];
    const route = new Route([dear], 0, true, [soft]);
    assert.deepEqual([route.takeAny(), route.takeAny(), route.takeAny()], [dear, soft, undefined]);
    route.giveBack(soft);
    assert.deepEqual([route.left, route.leftInAll, route.take()], [0, 1, undefined]);
    route.giveBack(dear);
    assert.deepEqual([route.takeAny(), route.takeAny(), route.leftInAll], [dear, soft, 0]);
  });

  it('keeps a node whose budget is used up for last', async () => {
    const chosen = await createOrder([spent('spent'), node('dear', 80)])();
    assert.deepEqual(chosen, { first: ['dear'], reserve: ['spent'] });
  });

  it('puts it first if no other node is expected to answer', async () => {
    const down = node('down');
    for (let call = 0; call < 5; call++) down.upstream.health.fail(1, {});
    assert.equal(down.upstream.health.circuit, 'open');
    assert.equal(await listNames([down, spent('spent')]), 'spent down');
    assert.equal(await listNames([spent('spent')]), 'spent');
  });

  it('never uses it beyond a hard budget, and names the budget in the error', async () => {
    assert.deepEqual(await createOrder([spent('spent', true), node('dear', 80)])(), {
      first: ['dear'],
      reserve: [],
    });
    await assert.rejects(createOrder([spent('spent', true)]), ({ kind, message }: UpstreamFault) => {
      assert.equal(kind, 'unreachable');
      assert.equal(message, 'the only node has used up its budget of 5 credits until 2026-12-01 00:00 UTC');
      return true;
    });
  });
});
