import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NullMeaning } from '../../../src/upstream/routed-call.ts';
import { createExchange, createScope } from '../support/exchange.ts';
import { poolOf } from '../support/pool.ts';
import {
  answer,
  type Behaviour,
  createNode,
  fault,
  later,
  nodeError,
  silent,
} from '../support/scripted-node.ts';

const NULL = answer('null');

async function ask(
  nulls: NullMeaning,
  behaviours: readonly Behaviour[],
  limitMs?: number,
): Promise<{ readonly told: unknown; readonly calls: number }> {
  const nodes = behaviours.map((behaviour, tier) => createNode({ behaviour, tier }));
  const pool = poolOf(nodes, { options: { retries: 0 } });
  let told: unknown;
  try {
    told = await pool(createExchange({ nulls }, createScope(limitMs)));
  } catch (error) {
    told = (error as { kind: string }).kind;
  }
  return { told, calls: nodes.reduce((sum, { asked }) => sum + asked.calls.length, 0) };
}

describe('null', () => {
  it('a truth is believed at once', async () => {
    assert.deepEqual(await ask('truth', [NULL, answer('1')]), { told: 'null', calls: 1 });
  });

  it('a claim or a doubt is checked with a second node', async () => {
    for (const nulls of ['claim', 'doubt'] as const) {
      assert.deepEqual(await ask(nulls, [NULL, NULL, answer('1')]), { told: 'null', calls: 2 });
      assert.deepEqual(await ask(nulls, [NULL, answer('1')]), { told: '1', calls: 2 });
      assert.deepEqual(await ask(nulls, [NULL, fault('unreachable'), answer('1')]), {
        told: '1',
        calls: 3,
      });
    }
  });

  it('without a second one a claim is believed and a doubt is not', async () => {
    for (const others of [[], [fault('unreachable')], [nodeError(-39999, 'strange')]]) {
      assert.equal((await ask('claim', [NULL, ...others])).told, 'null');
      assert.equal((await ask('doubt', [NULL, ...others])).told, 'missing');
    }
  });

  it('nodes that are behind are not believed, but confirm another', async () => {
    const askNodes = async (votes: readonly ('votes' | 'lagging' | 'syncing')[], nulls: NullMeaning) => {
      const nodes = votes.map(() => createNode(NULL));
      for (const [i, { upstream }] of nodes.entries()) upstream.vote = votes[i] ?? 'votes';
      const pool = poolOf(nodes, { options: { retries: 0 } });
      return pool(createExchange({ nulls }, createScope())).catch((error: { kind: string }) => error.kind);
    };
    for (const nulls of ['claim', 'doubt'] as const) {
      assert.equal(await askNodes(['lagging'], nulls), 'missing');
      assert.equal(await askNodes(['syncing', 'lagging', 'syncing'], nulls), 'missing');
      assert.equal(await askNodes(['lagging', 'votes'], nulls), 'null');
    }
    assert.equal(await askNodes(['lagging', 'votes', 'syncing'], 'claim'), 'null');
    assert.equal(await askNodes(['lagging'], 'truth'), 'null');
  });

  it('a silent second node does not cost the answer', async () => {
    assert.equal((await ask('claim', [NULL, silent], 400)).told, 'null');
  });

  it('an answer that is an error contradicts a null', async () => {
    assert.equal((await ask('claim', [NULL, nodeError(-32602, 'invalid argument 0')])).told, 'invalid');
  });

  it('a fault is never believed, however many say it', async () => {
    assert.deepEqual(await ask('fault', [NULL, NULL, NULL]), { told: 'missing', calls: 3 });
    assert.equal((await ask('fault', [NULL, NULL, answer('1')])).told, '1');
  });

  it('is checked with the node that it has overtaken', async () => {
    const nodes = [
      createNode({ behaviour: answer('1'), tier: 1 }),
      createNode({ behaviour: answer('1'), tier: 2 }),
    ];
    const pool = poolOf(nodes, { options: { retries: 0 } });
    for (let i = 0; i < 30; i++) await pool(createExchange());
    // The honest node is slow, so that the other is asked too, and is the first to answer.
    nodes[0]?.behave(later(300, answer('"honest"')));
    nodes[1]?.behave(NULL);
    assert.equal(await pool(createExchange({ nulls: 'claim' })), '"honest"');
    assert.equal(nodes[0]?.asked.calls.length, 32);
  });
});
