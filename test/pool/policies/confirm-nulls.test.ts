import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Standing } from '../../../src/pool/node-record.ts';
import type { Upstream } from '../../../src/pool/upstream.ts';
import type { NullMeaning } from '../../../src/pool/upstream-request.ts';
import { createExchange, createScope } from '../support/exchange.ts';
import { poolOf } from '../support/pool.ts';
import {
  answer,
  type Behaviour,
  createNode,
  fault,
  later,
  nodeError,
  type ScriptedNode,
  silent,
} from '../support/scripted-node.ts';
import { setNode } from '../support/set-node.ts';

const NULL = answer('null');

async function ask(
  nulls: NullMeaning,
  behaviours: readonly Behaviour[],
  limitMs?: number,
): Promise<{ readonly outcome: unknown; readonly calls: number }> {
  const nodes = behaviours.map((behaviour, tier) => createNode({ behaviour, tier }));
  const pool = poolOf(nodes, { options: { retries: 0 } });
  let outcome: unknown;
  try {
    outcome = await pool(createExchange({ nulls }, createScope(limitMs)));
  } catch (error) {
    outcome = (error as { kind: string }).kind;
  }
  return { outcome, calls: nodes.reduce((sum, { requested }) => sum + requested.calls.length, 0) };
}

describe('a null result', () => {
  it('is accepted at once as a truth', async () => {
    assert.deepEqual(await ask('truth', [NULL, answer('1')]), { outcome: 'null', calls: 1 });
  });

  it('is checked with a second node as a claim or a doubt', async () => {
    for (const nulls of ['claim', 'doubt'] as const) {
      assert.deepEqual(await ask(nulls, [NULL, NULL, answer('1')]), { outcome: 'null', calls: 2 });
      assert.deepEqual(await ask(nulls, [NULL, answer('1')]), { outcome: '1', calls: 2 });
      assert.deepEqual(await ask(nulls, [NULL, fault('unreachable'), answer('1')]), {
        outcome: '1',
        calls: 3,
      });
    }
  });

  it('is accepted as a claim and rejected as a doubt without a second node', async () => {
    for (const others of [[], [fault('unreachable')], [nodeError(-39999, 'strange')]]) {
      assert.equal((await ask('claim', [NULL, ...others])).outcome, 'null');
      assert.equal((await ask('doubt', [NULL, ...others])).outcome, 'missing');
    }
  });

  it('is checked with every node in a search', async () => {
    assert.deepEqual(await ask('search', [NULL, NULL, NULL, answer('1')]), { outcome: '1', calls: 4 });
    assert.deepEqual(await ask('search', [NULL, NULL, NULL]), { outcome: 'null', calls: 3 });
    assert.deepEqual(await ask('search', [NULL, fault('unreachable'), answer('1')]), {
      outcome: '1',
      calls: 3,
    });
    assert.deepEqual(await ask('search', [NULL, fault('unreachable')]), { outcome: 'null', calls: 2 });
  });

  it('is certain if every node returns it, and is an outage while a node does not answer', async () => {
    const lacks = fault('missing');
    assert.deepEqual(await ask('certain', [NULL, NULL, NULL, answer('1')]), { outcome: '1', calls: 4 });
    assert.deepEqual(await ask('certain', [NULL, lacks, NULL]), { outcome: 'null', calls: 3 });
    assert.deepEqual(await ask('certain', [lacks, lacks]), { outcome: 'missing', calls: 2 });
    for (const kind of ['unreachable', 'timeout', 'malformed'] as const) {
      const down = fault(kind);
      for (const nodes of [
        [NULL, NULL, down],
        [down, NULL, NULL],
        [lacks, down, lacks],
      ]) {
        assert.deepEqual(await ask('certain', nodes), { outcome: 'unreachable', calls: 3 });
      }
      assert.deepEqual(await ask('certain', [NULL, down, answer('1')]), { outcome: '1', calls: 3 });
    }
    assert.equal((await ask('certain', [NULL, NULL, silent], 4_000)).outcome, 'unreachable');
  });

  it('is not certain without nodes that are unavailable; nodes of another chain do not count', async () => {
    const askWithout = async (change: (upstream: Upstream) => void): Promise<unknown> => {
      const nodes = [NULL, NULL, answer('1')].map((behaviour) => createNode(behaviour));
      change((nodes[2] as ScriptedNode).upstream);
      const pool = poolOf(nodes, { options: { retries: 0 } });
      return pool(createExchange({ nulls: 'certain' })).catch((error: { kind: string }) => error.kind);
    };
    const setStanding =
      (standing: Standing) =>
      (upstream: Upstream): void => {
        setNode(upstream, { standing });
      };
    assert.equal(await askWithout(setStanding('unverified')), 'unreachable');
    assert.equal(await askWithout(setStanding('quarantined')), 'null');
    assert.equal(
      await askWithout((upstream) => {
        setNode(upstream, { isOnFork: true });
      }),
      '1',
      'a node that is on the branch that left the chain is asked for its blocks',
    );
    assert.equal(await askWithout(() => {}), '1');
  });

  it('is not taken from the in-flight request of another meaning if it must be certain', async () => {
    const pool = poolOf([createNode(later(20, NULL)), createNode(NULL), createNode(answer('1'))], {
      options: { retries: 0, hedgePercent: 0 },
    });
    const told = ['claim', 'certain'].map((nulls) =>
      pool(createExchange({ nulls: nulls as NullMeaning, sharedAs: 'block' })),
    );
    assert.equal((await Promise.all(told))[1], '1');
  });

  it('is not accepted from nodes that are behind, but may be confirmed by them', async () => {
    const sendToNodes = async (votes: readonly ('votes' | 'lagging' | 'syncing')[], nulls: NullMeaning) => {
      const nodes = votes.map(() => createNode(NULL));
      for (const [i, { upstream }] of nodes.entries()) setNode(upstream, { vote: votes[i] ?? 'votes' });
      const pool = poolOf(nodes, { options: { retries: 0 } });
      return pool(createExchange({ nulls }, createScope())).catch((error: { kind: string }) => error.kind);
    };
    for (const nulls of ['claim', 'doubt'] as const) {
      assert.equal(await sendToNodes(['lagging'], nulls), 'missing');
      assert.equal(await sendToNodes(['syncing', 'lagging', 'syncing'], nulls), 'missing');
      assert.equal(await sendToNodes(['lagging', 'votes'], nulls), 'null');
    }
    assert.equal(await sendToNodes(['lagging', 'votes', 'syncing'], 'claim'), 'null');
    assert.equal(await sendToNodes(['lagging'], 'truth'), 'null');
  });

  it('is accepted as a claim if the second node is silent', async () => {
    assert.equal((await ask('claim', [NULL, silent], 400)).outcome, 'null');
  });

  it('is contradicted by an error answer', async () => {
    assert.equal((await ask('claim', [NULL, nodeError(-32602, 'invalid argument 0')])).outcome, 'invalid');
  });

  it('is never accepted where it is a fault, however many nodes return it', async () => {
    assert.deepEqual(await ask('fault', [NULL, NULL, NULL]), { outcome: 'missing', calls: 3 });
    assert.equal((await ask('fault', [NULL, NULL, answer('1')])).outcome, '1');
  });

  it('is checked with the node that was overtaken', async () => {
    const nodes = [
      createNode({ behaviour: answer('1'), tier: 1 }),
      createNode({ behaviour: answer('1'), tier: 2 }),
    ];
    const pool = poolOf(nodes, { options: { retries: 0 } });
    for (let i = 0; i < 30; i++) await pool(createExchange());
    // The honest node is slow, so that the other node gets the request, too, and answers first.
    nodes[0]?.behave(later(300, answer('"honest"')));
    nodes[1]?.behave(NULL);
    assert.equal(await pool(createExchange({ nulls: 'claim' })), '"honest"');
    assert.equal(nodes[0]?.requested.calls.length, 32);
  });
});
