import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ChainError } from '../../../src/chain/errors.ts';
import { UnknownExecutionError } from '../../../src/pool/fault.ts';
import { confirmErrors } from '../../../src/pool/policies/confirm-errors.ts';
import { Route } from '../../../src/pool/route.ts';
import { createRecordingLog } from '../../gateway/recording-log.ts';
import { createCall, createDirected, createExchange } from '../support/exchange.ts';
import { poolOf } from '../support/pool.ts';
import { answer, createNode, fault, nodeError, type ScriptedNode } from '../support/scripted-node.ts';

const COLD = 'the flux capacitor is cold';
const cold = nodeError(-32000, COLD);

const countCalls = (nodes: readonly ScriptedNode[]): number =>
  nodes.reduce((sum, { requested }) => sum + requested.calls.length, 0);

const countFaults = (nodes: readonly ScriptedNode[]): number[] =>
  nodes.map(({ upstream }) => [...upstream.faults.values()].reduce((a, b) => a + b, 0));

const CALL = createCall();

describe('an unknown execution error', () => {
  it('is an answer when two nodes report it, and from then on when one does', async () => {
    const log = createRecordingLog();
    const nodes = [createNode(cold), createNode(cold), createNode(cold)];
    const ask = poolOf(nodes, { log });
    await assert.rejects(ask(createExchange()), { name: 'ChainError', kind: 'failed', message: COLD });
    assert.equal(countCalls(nodes), 2);
    for (let i = 0; i < 20; i++)
      await assert.rejects(ask(createExchange()), { kind: 'failed', message: COLD });
    assert.equal(countCalls(nodes), 22);
    assert.deepEqual(countFaults(nodes), [0, 0, 0]);
    assert.equal(log.lines.length, 1);
    assert.match(log.lines[0] ?? '', /"level":"info".*two upstreams agree/);
  });

  it('matches the same error with other addresses and numbers', async () => {
    const words = (address: string, n: number) => `account ${address} is not a flux ${n}`;
    let calls = 0;
    const behaviour = nodeError(-32000, '');
    const nodes = [0, 1].map(() =>
      createNode((call, options) => {
        const reply = behaviour(call, options);
        assert.ok(!(reply instanceof Promise) && reply.kind === 'error');
        calls++;
        const message = words(`0x${calls.toString(16).padStart(40, calls % 2 === 0 ? 'A' : 'b')}`, calls);
        return { kind: 'error', error: { ...reply.error, message } };
      }),
    );
    const ask = poolOf(nodes);
    for (let i = 0; i < 3; i++) await assert.rejects(ask(createExchange()), { kind: 'failed' });
    assert.equal(calls, 4);
  });

  it('is a fault, counted and logged, when another node has a result', async () => {
    const log = createRecordingLog();
    const liar = createNode({ behaviour: cold, name: 'liar' });
    const honest = [createNode(answer('"0x1"')), createNode(answer('"0x1"'))];
    const ask = poolOf([liar, ...honest], { log });
    let requested = 0;
    for (let i = 0; i < 50; i++) {
      assert.equal(await ask(createExchange()), '"0x1"');
      requested = liar.requested.calls.length;
    }
    assert.ok(requested > 0);
    assert.equal(liar.upstream.faults.get('unknown'), requested);
    assert.deepEqual(countFaults(honest), [0, 0]);
    assert.equal(log.lines.filter((line) => line.includes('"upstream":"liar"')).length, requested);
    assert.equal(liar.upstream.health.circuit, 'closed');
  });

  it('is the answer of the only node, or of the only reachable node', async () => {
    const alone = [createNode(cold)];
    const left = [createNode(cold), createNode(fault('unreachable'))];
    for (const nodes of [alone, left]) {
      const log = createRecordingLog();
      const ask = poolOf(nodes, { log, options: { retries: 0 } });
      for (let i = 0; i < 3; i++) await assert.rejects(ask(createExchange()), { message: COLD });
      assert.equal(nodes[0]?.upstream.faults.size, 0);
      assert.deepEqual(
        log.lines.filter((line) => !line.includes('"level":"debug"') && line.includes('cold')),
        [],
      );
    }
  });

  it('is not a fault if the execution of another node fails too, but is not stored', async () => {
    const nodes = [createNode(cold), createNode(nodeError(-32000, 'out of gas'))];
    const ask = poolOf(nodes);
    await assert.rejects(ask(createExchange()), { kind: 'failed', message: 'out of gas' });
    assert.deepEqual(countFaults(nodes), [0, 0]);
    nodes[1]?.behave(answer('"0x1"'));
    assert.equal(await ask(createExchange()), '"0x1"');
  });

  it('is not stored if it may come from the state of two nodes: a crash, or their own text or code', async () => {
    const errors = [
      [-32603, 'method handler crashed'],
      [-32603, 'what?'],
      [-32000, 'leveldb: closed'],
      [-32000, 'snapshot is being built'],
      [-1, COLD],
    ] as const;
    for (const [code, message] of errors) {
      const behaviour = nodeError(code, message);
      const nodes = [createNode(behaviour), createNode(behaviour)];
      const ask = poolOf(nodes);
      for (let i = 1; i < 4; i++) {
        await assert.rejects(ask(createExchange()), { kind: 'failed', message });
        assert.equal(countCalls(nodes), 2 * i, message);
      }
      assert.deepEqual(countFaults(nodes), [0, 0], message);
      nodes[1]?.behave(answer('"0x1"'));
      nodes[0]?.behave(behaviour);
      assert.equal(await ask(createExchange()), '"0x1"', message);
      for (const { upstream } of nodes) assert.equal(upstream.health.circuit, 'closed');
    }
  });
});

type Said = { readonly node: number; readonly text: number };

describe('confirmed errors', () => {
  const say = async (
    policy: ReturnType<typeof confirmErrors>,
    route: Route,
    node: ScriptedNode,
    text: string,
  ): Promise<string> => {
    const handler = policy(() => Promise.reject(new UnknownExecutionError(-32000, text)));
    const context = { ...createDirected(node), route, call: CALL };
    return handler(context).then(
      () => assert.fail(),
      (error: ChainError | UnknownExecutionError) => error.name,
    );
  };

  it('are those that two different nodes reported for one call, never those of a single node', async () => {
    const texts = ['a', 'b', 'c'];
    const said = fc.record({ node: fc.nat(3), text: fc.nat(2) });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(said, { maxLength: 4 }), { maxLength: 20 }), async (calls) => {
        const nodes = [0, 1, 2, 3].map(() => createNode(answer('1')));
        const learnt: string[] = [];
        const policy = confirmErrors(({ message }) => learnt.push(message));
        const known = new Set<number>();
        for (const call of calls) {
          const route = new Route(nodes.map(({ upstream }) => upstream));
          let open: Said[] = [];
          for (const { node, text } of call) {
            const isAnswer =
              known.has(text) || open.some((claim) => claim.text === text && claim.node !== node);
            const name = await say(policy, route, nodes[node] as ScriptedNode, texts[text] as string);
            assert.equal(name, isAnswer ? 'ChainError' : 'UpstreamFault');
            if (isAnswer && !known.has(text)) {
              known.add(text);
              open = [];
            } else if (!isAnswer) open.push({ node, text });
          }
        }
        assert.deepEqual([...learnt].toSorted(), [...known].map((text) => texts[text]).toSorted());
      }),
    );
  });

  it('expire after ten minutes, and are bounded in number', async () => {
    let now = 0;
    const nodes = [createNode(answer('1')), createNode(answer('1'))];
    const [one, other] = nodes as [ScriptedNode, ScriptedNode];
    let learnt = 0;
    const policy = confirmErrors(
      () => learnt++,
      () => now,
    );
    const routeOf = (): Route => new Route(nodes.map(({ upstream }) => upstream));
    const agreeOn = async (text: string): Promise<void> => {
      const route = routeOf();
      await say(policy, route, one, text);
      await say(policy, route, other, text);
    };
    await agreeOn('word');
    assert.equal(await say(policy, routeOf(), one, 'word'), 'ChainError');
    now = 600_000;
    assert.equal(await say(policy, routeOf(), one, 'word'), 'UpstreamFault');
    const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
    const words = letters.flatMap((a) => letters.map((b) => `${a}${b}x`)).slice(0, 257);
    for (const word of words) await agreeOn(word);
    assert.equal(learnt, 258);
    assert.equal(await say(policy, routeOf(), one, words[0] as string), 'UpstreamFault');
    assert.equal(await say(policy, routeOf(), one, words[256] as string), 'ChainError');
  });
});
