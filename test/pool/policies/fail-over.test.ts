import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChainError } from '../../../src/chain/errors.ts';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import { failOver } from '../../../src/pool/policies/fail-over.ts';
import type { Handler } from '../../../src/pool/upstream-request.ts';
import { createExchange, createRouted, createScope } from '../support/exchange.ts';
import { poolOf } from '../support/pool.ts';
import {
  answer,
  type Behaviour,
  createNode,
  fault,
  nodeError,
  type ScriptedNode,
} from '../support/scripted-node.ts';

const countCalls = (nodes: readonly ScriptedNode[]): number[] =>
  nodes.map(({ requested }) => requested.calls.length);

const ANSWERS: readonly (readonly [string, Behaviour, Partial<ChainError>])[] = [
  ['a revert', nodeError(3, 'execution reverted', '0x08c379a0'), { kind: 'reverted', data: '0x08c379a0' }],
  ['an invalid parameter', nodeError(-32602, 'invalid argument 0: odd length'), { kind: 'invalid' }],
  ['too little gas', nodeError(-32000, 'out of gas'), { kind: 'failed' }],
];

describe('error answers', () => {
  for (const [name, behaviour, expected] of ANSWERS) {
    it(`${name} is an answer: no other node gets a request and the node is not blamed`, async () => {
      const nodes = [createNode(behaviour), createNode(behaviour)];
      const ask = poolOf(nodes);
      for (let i = 0; i < 30; i++) {
        await assert.rejects(ask(createExchange()), { name: 'ChainError', ...expected });
      }
      assert.equal(
        countCalls(nodes).reduce((a, b) => a + b),
        30,
      );
      for (const { upstream } of nodes) {
        assert.equal(upstream.faults.size, 0);
        assert.equal(upstream.health.circuit, 'closed');
        assert.equal(upstream.health.errorRate, 0);
      }
    });
  }

  it('a null that is true is an answer', async () => {
    const nodes = [createNode(answer('null')), createNode(answer('null'))];
    assert.equal(await poolOf(nodes)(createExchange({ nulls: 'truth' })), 'null');
    assert.equal(nodes[0]?.requested.calls.length, 1);
    assert.equal(nodes[1]?.requested.calls.length, 0);
    assert.equal(nodes[0]?.upstream.faults.size, 0);
  });
});

describe('faults', () => {
  const KINDS = ['unreachable', 'timeout', 'malformed', 'tooLarge', 'httpStatus', 'unauthorized'] as const;
  for (const kind of KINDS) {
    it(`${kind}: the next node answers`, async () => {
      const nodes = [createNode(fault(kind)), createNode(answer('"0x1"'))];
      assert.equal(await poolOf(nodes)(createExchange()), '"0x1"');
      assert.deepEqual(countCalls(nodes), [1, 1]);
      assert.equal(nodes[0]?.upstream.faults.get(kind), 1);
    });
  }

  it('sends to each node once per round', async () => {
    const nodes = Array.from({ length: 5 }, () => createNode(fault('unreachable')));
    await assert.rejects(poolOf(nodes, { options: { retries: 0 } })(createExchange()), {
      kind: 'unreachable',
    });
    assert.deepEqual(countCalls(nodes), [1, 1, 1, 1, 1]);
  });

  it('a null where a value is required, or an answer that fails its check, fails over to the next node', async () => {
    const check = (result: unknown): never => {
      throw new UpstreamFault('wrong', `not ${result === '"bad"' ? 'this' : 'expected'}`);
    };
    const nodes = [createNode(answer('null')), createNode(answer('"0x1"'))];
    assert.equal(await poolOf(nodes)(createExchange()), '"0x1"');
    const wrong = [createNode(answer('"bad"')), createNode(answer('"good"'))];
    const call = { check: (result: unknown) => (result === '"bad"' ? check(result) : '"good"') };
    assert.equal(await poolOf(wrong)(createExchange(call)), '"good"');
    assert.equal(wrong[0]?.upstream.faults.get('wrong'), 1);
  });

  it('an unknown error fails over exactly once and reaches the client in the words of a node', async () => {
    const nodes = [
      createNode(nodeError(-39999, 'the flux capacitor is cold')),
      createNode(nodeError(-39999, 'no flux')),
      createNode(answer('"0x1"')),
    ];
    await assert.rejects(poolOf(nodes)(createExchange()), { kind: 'unknown', message: 'no flux' });
    assert.deepEqual(countCalls(nodes), [1, 1, 0]);
    for (const { upstream } of nodes) assert.equal(upstream.health.circuit, 'closed');
  });

  it('an unknown error of a method that executes nothing is a fault of each node that returns it', async () => {
    const strange = nodeError(-32000, 'the flux capacitor is cold');
    const nodes = [createNode(strange), createNode(strange), createNode(answer('"0x1"'))];
    await assert.rejects(poolOf(nodes)(createExchange({ method: 'eth_getBlockReceipts' })), {
      kind: 'unknown',
      message: 'the flux capacitor is cold',
    });
    assert.deepEqual(countCalls(nodes), [1, 1, 0]);
    for (const { upstream } of nodes.slice(0, 2)) {
      assert.equal(upstream.faults.get('unknown'), 1);
      assert.equal(upstream.health.circuit, 'closed');
    }
  });

  it('an unknown error is not an answer if another node has one', async () => {
    const nodes = [createNode(nodeError(-39999, 'the flux capacitor is cold')), createNode(answer('"0x1"'))];
    assert.equal(await poolOf(nodes)(createExchange()), '"0x1"');
  });

  it('sends to no other node when the client has cancelled or the deadline has passed', async () => {
    let calls = 0;
    const failing: Handler = () => {
      calls++;
      return Promise.reject(new UpstreamFault(calls > 1 ? 'aborted' : 'unreachable', 'scripted'));
    };
    const nodes = [1, 2, 3].map(() => createNode(answer('1')));
    await assert.rejects(failOver()(failing)(createRouted(nodes)), { kind: 'aborted' });
    assert.equal(calls, 2);
    calls = 0;
    await assert.rejects(failOver()(failing)(createRouted(nodes, {}, createScope(-1))), {
      kind: 'unreachable',
    });
    assert.equal(calls, 1);
  });

  it('reports the most informative fault', async () => {
    const cases = [
      [['unreachable', 'rateLimited'], 'rateLimited'],
      [['missing', 'unreachable'], 'missing'],
      [['unsupported', 'unreachable'], 'unreachable'],
      [['unknown', 'missing'], 'unknown'],
      [['rateLimited', 'pruned'], 'pruned'],
    ] as const;
    for (const [kinds, reported] of cases) {
      const nodes = kinds.map((kind) => createNode(fault(kind)));
      const ask = poolOf(nodes, { options: { retries: 0 } });
      await assert.rejects(ask(createExchange()), { kind: reported }, kinds.join());
    }
  });

  it('a rate limit of one node does not delay the others', async () => {
    const nodes = [createNode(fault('rateLimited', 60_000)), createNode(fault('unreachable'))];
    const ask = failOver()((context) => {
      const node = nodes.find(({ upstream }) => upstream === context.route?.take());
      return Promise.reject(
        node === nodes[0]
          ? new UpstreamFault('rateLimited', 'scripted', 60_000)
          : new UpstreamFault('unreachable', 'scripted'),
      );
    });
    await assert.rejects(ask(createRouted(nodes)), { kind: 'rateLimited', retryAfterMs: 0 });
  });

  it('errors that are not faults are rethrown at once', async () => {
    let calls = 0;
    const failing: Handler = () => {
      calls++;
      return Promise.reject(new ChainError('reverted', 'execution reverted', '0x'));
    };
    await assert.rejects(failOver()(failing)(createRouted([createNode(answer('1'))])), { kind: 'reverted' });
    assert.equal(calls, 1);
  });
});
