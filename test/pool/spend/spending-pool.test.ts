/** Destinations of calls in a pool of three nodes, two of which have prices. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSpend } from '../support/create-spend.ts';
import { createCall, createExchange, createScope } from '../support/exchange.ts';
import { openWholePool, poolOf } from '../support/pool.ts';
import { answer, createNode, fault, later, type ScriptedNode, silent } from '../support/scripted-node.ts';

/** Creates a free node and two hosted nodes, of which the second is dearer. The budgets of the nodes in `spent` are used up. */
function createNodes(spent: readonly string[] = []): readonly [ScriptedNode, ScriptedNode, ScriptedNode] {
  const hosted = (name: string, price: number): ScriptedNode => {
    const spend = createSpend({ default: price }, { credits: 1_000 });
    if (spent.includes(name)) spend.charge(1_000);
    return createNode({ behaviour: answer('"0x1"'), name, spend });
  };
  return [createNode({ behaviour: answer('"0x1"'), name: 'own' }), hosted('cheap', 20), hosted('dear', 80)];
}

const count = (nodes: readonly ScriptedNode[]): readonly number[] =>
  nodes.map(({ requested }) => requested.calls.length);

/** Sends different calls one after the other, so that nothing is cached or coalesced. */
async function sendCalls(nodes: readonly ScriptedNode[], calls: number): Promise<void> {
  const ask = poolOf(nodes);
  for (let call = 0; call < calls; call++)
    assert.equal(await ask(createExchange({ params: `["${call}"]`, nulls: 'truth' })), '"0x1"');
}

describe('a pool with prices', () => {
  it('sends everything to the free node while that node serves well', async () => {
    const nodes = createNodes();
    await sendCalls(nodes, 60);
    assert.deepEqual(count(nodes), [60, 0, 0]);
  });

  it('sends to the cheaper hosted node when the free one fails, and to the dearer one last', async () => {
    const nodes = createNodes();
    const [own, cheap, dear] = nodes;
    own.behave(fault('unreachable'));
    await sendCalls(nodes, 60);
    assert.equal(cheap.requested.calls.length, 60);
    assert.equal(dear.requested.calls.length, 0);
    cheap.behave(fault('unreachable'));
    await sendCalls(nodes, 20);
    assert.equal(dear.requested.calls.length, 20);
  });

  it('hedges to a dearer node', async () => {
    const nodes = createNodes();
    const [own, cheap] = nodes;
    const ask = poolOf(nodes, { options: { hedgePercent: 100 } });
    const send = (call: number): Promise<unknown> =>
      ask(createExchange({ params: `["${call}"]`, nulls: 'truth' }));
    for (let call = 0; call < 40; call++) await send(call);
    own.behave(silent);
    assert.equal(await send(40), '"0x1"');
    assert.equal(cheap.requested.calls.length, 1);
  });

  it('does not send or hedge to a node whose budget is used up while another node answers', async () => {
    const nodes = createNodes(['cheap', 'dear']);
    const [own] = nodes;
    const ask = poolOf(nodes, { options: { hedgePercent: 100 } });
    own.behave(later(1, answer('"0x1"')));
    for (let call = 0; call < 40; call++)
      await ask(createExchange({ params: `["${call}"]`, nulls: 'truth' }));
    own.behave(later(60, answer('"0x1"')));
    await ask(createExchange({ params: '["slow"]', nulls: 'truth' }));
    assert.deepEqual(count(nodes), [41, 0, 0]);
  });

  it('sends to a node whose budget is used up if no other node answers, but never beyond a hard budget', async () => {
    const nodes = createNodes(['cheap']);
    const [own, cheap, dear] = nodes;
    own.behave(fault('unreachable'));
    dear.behave(fault('unreachable'));
    await sendCalls(nodes, 3);
    assert.equal(cheap.requested.calls.length, 3);
    const spend = createSpend({ default: 1 }, { credits: 1, hard: true });
    spend.charge(1);
    const barred = createNode({ behaviour: answer('"0x1"'), name: 'barred', spend });
    const ask = poolOf([own, barred], { options: { retries: 0 } });
    await assert.rejects(ask(createExchange({ nulls: 'truth' })), { kind: 'unreachable' });
    assert.equal(barred.requested.calls.length, 0);
  });

  it('uses the reserve to confirm a null that no other node can confirm', async () => {
    const nodes = createNodes(['cheap', 'dear']);
    for (const { behave } of nodes) behave(answer('null'));
    const ask = poolOf(nodes);
    assert.equal(await ask(createExchange({ nulls: 'doubt' })), 'null');
    assert.equal(nodes[1].requested.calls.length, 1);
    assert.equal(await ask(createExchange({ nulls: 'claim', params: '["other"]' })), 'null');
    assert.equal(nodes[1].requested.calls.length, 1, 'a claim needs no confirmation');
  });

  it('sends groups of calls to the free node, and to the reserve if it stays silent', async () => {
    const nodes = createNodes(['cheap', 'dear']);
    const [own, cheap] = nodes;
    const { sendCoalesced } = openWholePool(nodes);
    const block = { number: 1n, hash: `0x${'ab'.repeat(32)}` };
    const send = async (names: readonly string[], limitMs?: number): Promise<readonly unknown[]> => {
      const calls = names.map((name) =>
        createCall({ params: `["${name}"]`, block, key: { blockHash: block.hash, request: name } }),
      );
      const scope = createScope(limitMs);
      scope.batch = {};
      return (await sendCoalesced(calls, scope)).map((outcome) => outcome?.answer);
    };
    assert.deepEqual(await send(['a', 'b', 'c']), ['"0x1"', '"0x1"', '"0x1"']);
    assert.deepEqual(count(nodes), [3, 0, 0]);
    own.behave(silent);
    assert.deepEqual(await send(['d', 'e', 'f'], 4_000), ['"0x1"', '"0x1"', '"0x1"']);
    assert.equal(cheap.requested.calls.length, 3);
  });
});
