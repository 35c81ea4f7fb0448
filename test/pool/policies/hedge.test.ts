import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../../../src/chain/errors.ts';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import { hedge } from '../../../src/pool/policies/hedge.ts';
import { OVERTAKEN } from '../../../src/pool/policies/overtaken.ts';
import type { Upstream } from '../../../src/pool/upstream.ts';
import type { Directed, Handler, RoutedRequest } from '../../../src/pool/upstream-request.ts';
import type { CancelSignal } from '../../../src/util/cancel-source.ts';
import { LatencyWindow } from '../../../src/util/latency-window.ts';
import { TokenBucket } from '../../../src/util/token-bucket.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createRouted, createScope, watchListeners } from '../support/exchange.ts';
import { answer, createNode } from '../support/scripted-node.ts';
import { createStream } from '../support/scripted-stream.ts';

/** A call that the test resolves or rejects itself. */
type OpenCall = {
  readonly upstream: Upstream;
  readonly signal: CancelSignal;
  readonly complete: (result: JsonResult) => void;
  readonly fail: (error: unknown) => void;
};

function createOpenCalls(): { readonly calls: OpenCall[]; readonly handler: Handler<Directed> } {
  const calls: OpenCall[] = [];
  const handler: Handler<Directed> = ({ upstream, scope }) =>
    new Promise((complete, fail) => {
      calls.push({ upstream, signal: scope.signal, complete, fail });
    });
  return { calls, handler };
}

/** Latencies of which 95 % are within a millisecond: hedging starts at its shortest delay. */
function createFastWindow(): LatencyWindow {
  const window = new LatencyWindow(60_000);
  for (let i = 0; i < 100; i++) window.record(1);
  return window;
}

type HedgeScript = {
  readonly window?: LatencyWindow;
  /** Latencies of batch items, where they differ. */
  readonly ofBatches?: LatencyWindow;
  readonly tokens?: number;
};

function hedged(
  next: Handler<Directed>,
  { window = createFastWindow(), ofBatches = window, tokens = 100 }: HedgeScript = {},
): Handler<RoutedRequest> {
  return hedge({
    share: 0.001,
    // Less than a whole token does not suffice.
    budget: new TokenBucket({ capacity: tokens + 0.1 }),
    latenciesOf: (_method, isOfBatch) => (isOfBatch ? ofBatches : window),
  })(next);
}

const route = (nodes: number, limitMs?: number, signal?: AbortSignal): RoutedRequest =>
  createRouted(
    Array.from({ length: nodes }, () => createNode(answer('1'))),
    {},
    createScope(limitMs, signal),
  );

describe('hedge', () => {
  it('sends to a second node after the 95th percentile; the first answer wins, and the other call is cancelled', async () => {
    const { calls, handler } = createOpenCalls();
    const result = hedged(handler)(route(3));
    await waitUntil(() => calls.length === 2);
    assert.notEqual(calls[0]?.upstream, calls[1]?.upstream);
    calls[1]?.complete('"second"');
    assert.equal(await result, '"second"');
    assert.equal(calls[0]?.signal.reason, OVERTAKEN);
    assert.equal(calls[1]?.signal.aborted, false);
    assert.equal(calls.length, 2);
  });

  it('sends to no second node without budget, before enough latencies are known, or for sticky calls', async () => {
    const scripts: readonly (readonly [HedgeScript, boolean])[] = [
      [{ tokens: 0 }, false],
      [{ window: new LatencyWindow(60_000) }, false],
      [{}, true],
    ];
    for (const [script, isSticky] of scripts) {
      const { calls, handler } = createOpenCalls();
      const context = route(2);
      const call = { ...context.call, isSticky };
      const result = hedged(handler, script)({ ...context, call });
      await new Promise((resolve) => setTimeout(resolve, 40));
      assert.equal(calls.length, 1);
      calls[0]?.complete('1');
      assert.equal(await result, '1');
    }
  });

  it('compares batch items with the latencies of batch items, and records theirs separately', async () => {
    const [window, ofBatches] = [createFastWindow(), new LatencyWindow(60_000)];
    const { calls, handler } = createOpenCalls();
    const ask = hedged(handler, { window, ofBatches });
    const item = route(2);
    item.scope.batch = {};
    const requested = ask(item);
    const single = ask(route(2));
    await waitUntil(() => calls.length === 3);
    for (const call of calls) call.complete('1');
    await Promise.all([requested, single]);
    assert.equal(new Set(calls.slice(1).map(({ upstream }) => upstream)).size, 2);
    assert.equal(item.route.left, 1, 'nothing is known of items: no other node is asked');
    assert.deepEqual([window.count, ofBatches.count], [101, 1]);
  });

  it('sends no more requests than the budget allows', async () => {
    const window = createFastWindow();
    const { calls, handler } = createOpenCalls();
    const ask = hedged(handler, { window, tokens: 3 });
    const results = Array.from({ length: 20 }, () => ask(route(2)));
    await waitUntil(() => calls.length === 23);
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal(calls.length, 23);
    for (const call of calls) call.complete('1');
    await Promise.all(results);
  });

  it('an error answer wins too', async () => {
    const { calls, handler } = createOpenCalls();
    const result = hedged(handler)(route(2));
    await waitUntil(() => calls.length === 2);
    calls[0]?.fail(new ChainError('reverted', 'execution reverted', '0x'));
    await assert.rejects(result, { kind: 'reverted' });
    assert.equal(calls[1]?.signal.reason, OVERTAKEN);
  });

  it('after a fault the other node can still answer; the last fault is reported', async () => {
    const first = createOpenCalls();
    const won = hedged(first.handler)(route(2));
    await waitUntil(() => first.calls.length === 2);
    first.calls[0]?.fail(new UpstreamFault('unreachable', 'scripted'));
    first.calls[1]?.complete('1');
    assert.equal(await won, '1');

    const second = createOpenCalls();
    const lost = hedged(second.handler)(route(2));
    await waitUntil(() => second.calls.length === 2);
    second.calls[1]?.fail(new UpstreamFault('malformed', 'scripted'));
    second.calls[0]?.fail(new UpstreamFault('unreachable', 'scripted'));
    await assert.rejects(lost, { kind: 'unreachable' });
  });

  it('a silent node does not prevent requests to other nodes, whatever the budget', async () => {
    const { calls, handler } = createOpenCalls();
    const result = hedged(handler, { tokens: 0 })(route(4, 400));
    await waitUntil(() => calls.length === 4);
    calls[3]?.complete('1');
    assert.equal(await result, '1');
    assert.equal(new Set(calls.map(({ upstream }) => upstream)).size, 4);
    for (const { signal } of calls.slice(0, 3)) assert.equal(signal.reason, OVERTAKEN);
  });

  it('returns overtaken nodes to the route, so that they can confirm a null of the winner', async () => {
    const { calls, handler } = createOpenCalls();
    const context = route(2);
    const result = hedged(handler)(context);
    await waitUntil(() => calls.length === 2);
    assert.equal(context.route.left, 0);
    calls[0]?.complete('null');
    assert.equal(await result, 'null');
    assert.equal(context.route.left, 1);
    assert.equal(context.route.take(), calls[1]?.upstream);
  });

  it('cancels the stream of an overtaken node that still answers', async () => {
    const { calls, handler } = createOpenCalls();
    const result = hedged(handler)(route(2));
    await waitUntil(() => calls.length === 2);
    calls[0]?.complete('1');
    await result;
    const late = createStream('[1,2,3]');
    calls[1]?.complete(late);
    await waitUntil(() => late.isCancelled);
  });

  it('a client that cancels ends all calls at once, even those that ignore the signal', async () => {
    const { calls, handler } = createOpenCalls();
    const caller = new AbortController();
    const context = route(3, 20_000, caller.signal);
    const countListeners = watchListeners(context.scope);
    const result = hedged(handler)(context);
    await waitUntil(() => calls.length === 2);
    caller.abort();
    await assert.rejects(result, { kind: 'aborted' });
    assert.ok(calls.every(({ signal }) => signal.aborted && signal.reason !== OVERTAKEN));
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal(calls.length, 2);
    assert.equal(countListeners(), 0);
    const late = createStream('[1]');
    calls[0]?.complete(late);
    await waitUntil(() => late.isCancelled);
  });

  it('sends nothing for a client that has already cancelled', async () => {
    const { calls, handler } = createOpenCalls();
    await assert.rejects(hedged(handler)(route(2, 20_000, AbortSignal.abort())), { kind: 'aborted' });
    assert.equal(calls.length, 0);
  });

  it('leaves no listener on the signal of its client', async () => {
    const context = route(3, 20_000);
    const countListeners = watchListeners(context.scope);
    await hedged(async () => '1')(context);
    assert.equal(countListeners(), 0);
  });

  it('accepts an infinite deadline', async () => {
    const { calls, handler } = createOpenCalls();
    const result = hedged(handler, { tokens: 0 })(route(3, Number.POSITIVE_INFINITY));
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(calls.length, 1);
    calls[0]?.complete('1');
    await result;
  });

  it('throws a fault without any node', async () => {
    await assert.rejects(hedged(async () => '1')(route(0)), { kind: 'unreachable' });
  });
});
