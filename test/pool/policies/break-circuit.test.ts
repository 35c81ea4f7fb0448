import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChainError } from '../../../src/chain/errors.ts';
import { type FaultKind, UpstreamFault } from '../../../src/pool/fault.ts';
import { backOff } from '../../../src/pool/policies/back-off.ts';
import { breakCircuit } from '../../../src/pool/policies/break-circuit.ts';
import { OVERTAKEN } from '../../../src/pool/policies/overtaken.ts';
import type { Directed, Handler } from '../../../src/pool/upstream-request.ts';
import { createDirected, createScope } from '../support/exchange.ts';
import { answer, createNode, type ScriptedNode } from '../support/scripted-node.ts';
import { createStream, readAll } from '../support/scripted-stream.ts';

type Events = { readonly opened: string[]; readonly faults: string[] };

function createBreaker(handler: Handler): { readonly ask: Handler<Directed>; readonly events: Events } {
  const events: Events = { opened: [], faults: [] };
  const ask = breakCircuit({
    onOpen: ({ name }) => events.opened.push(name),
    onFault: (_upstream, { kind }) => events.faults.push(kind),
    onHeard: () => {},
  })(handler);
  return { ask, events };
}

const failing =
  (error: unknown): Handler =>
  () =>
    Promise.reject(error);

/** Handler that fails with a new error each time. */
const failingAnew =
  (kind: FaultKind): Handler =>
  () =>
    Promise.reject(new UpstreamFault(kind, 'scripted'));

async function failOften(node: ScriptedNode, kind: FaultKind, times: number): Promise<Events> {
  const { ask, events } = createBreaker(failingAnew(kind));
  for (let i = 0; i < times; i++) await assert.rejects(ask(createDirected(node)), { kind });
  return events;
}

describe('breakCircuit', () => {
  it('counts no failures of a node whose connections this service has closed', async () => {
    const node = createNode(answer('1'));
    await failOften(node, 'unreachable', 1);
    const closing = node.upstream.close();
    const events = await failOften(node, 'unreachable', 10);
    assert.deepEqual(events, { opened: [], faults: [] });
    assert.equal(node.upstream.faults.get('unreachable'), 1);
    assert.equal(node.upstream.health.circuit, 'closed');
    await closing;
  });

  it('opens after five consecutive faults, and reports it once', async () => {
    for (const kind of [
      'unreachable',
      'timeout',
      'malformed',
      'httpStatus',
      'unauthorized',
      'wrong',
    ] as const) {
      const node = createNode(answer('1'));
      await failOften(node, kind, 4);
      assert.equal(node.upstream.health.circuit, 'closed', kind);
      const { opened } = await failOften(node, kind, 6);
      assert.equal(node.upstream.health.circuit, 'open', kind);
      assert.equal(opened.length, 1);
      assert.equal(node.upstream.faults.get(kind), 10);
    }
  });

  it('counts calls that fail because of a shared request as one consecutive fault', async () => {
    const node = createNode(answer('1'));
    const { ask } = createBreaker(failing(new UpstreamFault('unreachable', 'scripted')));
    for (let i = 0; i < 100; i++) await assert.rejects(ask(createDirected(node)), { kind: 'unreachable' });
    assert.equal(node.upstream.health.circuit, 'closed');
    assert.equal(node.upstream.faults.get('unreachable'), 100);
    await failOften(node, 'unreachable', 4);
    assert.equal(node.upstream.health.circuit, 'open');
  });

  it('counts errors that are not the fault of the node without opening the circuit', async () => {
    for (const kind of ['missing', 'pruned', 'unsupported', 'rateLimited', 'unknown', 'tooLarge'] as const) {
      const node = createNode(answer('1'));
      const { faults } = await failOften(node, kind, 30);
      assert.equal(node.upstream.health.circuit, 'closed', kind);
      assert.equal(node.upstream.faults.get(kind), 30);
      assert.equal(faults.length, 30);
    }
  });

  it('ignores calls of a client that cancels or has no time left', async () => {
    const node = createNode(answer('1'));
    const { faults } = await failOften(node, 'aborted', 30);
    assert.deepEqual(faults, []);
    assert.equal(node.upstream.faults.size, 0);
    const { ask } = createBreaker(failing(new UpstreamFault('timeout', 'scripted')));
    for (let i = 0; i < 30; i++) {
      await assert.rejects(ask(createDirected(node, {}, createScope(-1))), { kind: 'timeout' });
    }
    assert.equal(node.upstream.health.circuit, 'closed');
  });

  it('treats error answers as answers', async () => {
    const node = createNode(answer('1'));
    await failOften(node, 'unreachable', 4);
    const { ask, events } = createBreaker(failing(new ChainError('reverted', 'execution reverted', '0x')));
    await assert.rejects(ask(createDirected(node)), { kind: 'reverted' });
    assert.deepEqual(events.faults, []);
    await failOften(node, 'unreachable', 4);
    assert.equal(node.upstream.health.circuit, 'closed');
  });

  it('counts an overtaken node as slower, not as faulty', async () => {
    const node = createNode(answer('1'));
    const { ask } = createBreaker(failing(new UpstreamFault('aborted', 'scripted')));
    const before = node.upstream.health.latencyMs;
    const scope = createScope(20_000, AbortSignal.abort(OVERTAKEN));
    for (let i = 0; i < 10; i++) {
      await assert.rejects(ask(createDirected(node, {}, scope)), { kind: 'aborted' });
    }
    assert.ok(node.upstream.health.latencyMs > before);
    assert.equal(node.upstream.health.errorRate, 0);
    assert.equal(node.upstream.faults.size, 0);
  });

  it('counts calls in flight, whatever their outcome', async () => {
    const node = createNode(answer('1'));
    const settles: (() => void)[] = [];
    const { ask } = createBreaker(
      () =>
        new Promise((resolve, reject) => {
          settles.push(() => resolve('1'));
          settles.push(() => reject(new UpstreamFault('unknown', 'scripted')));
        }),
    );
    const results = [ask(createDirected(node)), ask(createDirected(node))];
    assert.equal(node.upstream.health.inFlight, 2);
    settles[0]?.();
    settles[3]?.();
    await Promise.allSettled(results);
    assert.equal(node.upstream.health.inFlight, 0);
  });

  it('counts a stream that breaks as a fault of the node, but not one that is cancelled', async () => {
    const node = createNode(answer('1'));
    const { ask, events } = createBreaker(async () => createStream('[1,2,3]', { breakAt: 3 }));
    for (let i = 0; i < 3; i++) {
      const result = await ask(createDirected(node));
      await assert.rejects(readAll(result), { kind: 'unreachable' });
    }
    assert.deepEqual(events.faults, Array(3).fill('unreachable'));
    assert.equal(node.upstream.faults.get('unreachable'), 3);
    const { ask: requestWhole, events: calm } = createBreaker(async () => createStream('[1,2,3]'));
    assert.equal(await readAll(await requestWhole(createDirected(node))), '[1,2,3]');
    const { health } = node.upstream;
    assert.equal(health.streams, 0);
    const [cancelled, unread] = [
      await requestWhole(createDirected(node)),
      await requestWhole(createDirected(node)),
    ];
    assert.ok(typeof cancelled !== 'string' && typeof unread !== 'string');
    assert.equal(health.streams, 2);
    cancelled.cancel();
    await assert.rejects(readAll(cancelled), { kind: 'aborted' });
    assert.deepEqual(calm.faults, []);
    assert.equal(health.streams, 1);
    // A stream that is cancelled before it is read ends too.
    unread.cancel();
    unread.cancel();
    assert.equal(health.streams, 0);
  });
});

describe('backOff', () => {
  it('stores the retry delay that a node requests', async () => {
    let now = 0;
    const node = createNode({ behaviour: answer('1'), now: () => now });
    const limited = (ms?: number): Promise<unknown> =>
      assert.rejects(
        backOff()(failing(new UpstreamFault('rateLimited', 'scripted', ms)))(createDirected(node)),
        { kind: 'rateLimited' },
      );
    await limited(5_000);
    assert.equal(node.upstream.health.pauseLeftMs, 5_000);
    now = 5_000;
    assert.equal(node.upstream.health.isPaused, false);
    await limited();
    assert.equal(node.upstream.health.pauseLeftMs, 1_000);
  });

  it('stores for a minute that a node lacks a method', async () => {
    let now = 0;
    const node = createNode({ behaviour: answer('1'), now: () => now });
    const handler = backOff()(failing(new UpstreamFault('unsupported', 'scripted')));
    await assert.rejects(handler(createDirected(node)), { kind: 'unsupported' });
    assert.equal(node.upstream.lacks('eth_call'), true);
    assert.equal(node.upstream.lacks('eth_estimateGas'), false);
    now = 60_000;
    assert.equal(node.upstream.lacks('eth_call'), false);
  });
});
