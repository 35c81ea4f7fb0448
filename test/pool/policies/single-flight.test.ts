import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import { singleFlight } from '../../../src/pool/policies/single-flight.ts';
import type { Handler, RequestContext } from '../../../src/pool/upstream-request.ts';
import type { RequestScope } from '../../../src/util/request-scope.ts';
import { SCHEDULER, SLOT_MS } from '../../../src/util/slot-scheduler.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { spin, watchTurns } from '../../support/watch-turns.ts';
import { createExchange, createScope, watchListeners } from '../support/exchange.ts';
import { createStream, readAll } from '../support/scripted-stream.ts';

type OpenCall = {
  readonly scope: RequestScope;
  readonly complete: (result: JsonResult) => void;
  readonly fail: (error: unknown) => void;
};

function createShared(): { readonly calls: OpenCall[]; readonly ask: Handler } {
  const calls: OpenCall[] = [];
  const ask = singleFlight()(
    ({ scope }) =>
      new Promise((complete, fail) => {
        calls.push({ scope, complete, fail });
      }),
  );
  return { calls, ask };
}

const KEY = { blockHash: '0xaa', request: '1:eth_call:[]' };

const same = (scope: RequestScope = createScope()): RequestContext => createExchange({ key: KEY }, scope);

/** A caller that can abort. */
function createCaller(limitMs?: number): {
  readonly controller: AbortController;
  readonly scope: RequestScope;
} {
  const controller = new AbortController();
  return { controller, scope: createScope(limitMs, controller.signal) };
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Callers continue in scheduler slots: on a busy machine that takes more than one turn. Fails where more calls follow. */
async function waitForCalls(calls: readonly OpenCall[], count: number): Promise<void> {
  await tick();
  await waitUntil(() => calls.length >= count);
  assert.equal(calls.length, count);
}

describe('singleFlight', () => {
  it('sends one request for all concurrent identical calls', async () => {
    const { calls, ask } = createShared();
    const results = Array.from({ length: 50 }, () => ask(same()));
    await waitForCalls(calls, 1);
    calls[0]?.complete('"0x1"');
    assert.deepEqual(new Set(await Promise.all(results)), new Set(['"0x1"']));
    const next = ask(same());
    await waitForCalls(calls, 2);
    calls[1]?.complete('"0x2"');
    assert.equal(await next, '"0x2"');
  });

  it('sends separate requests for different calls with equal hashes', async () => {
    const { calls, ask } = createShared();
    const hashes = { hash: -7, tag: 11 };
    const keys = ['1:eth_call:[]', '1:eth_call:[1]', '1:eth_call:[]'].map((request) => ({
      ...KEY,
      request,
      hashes,
    }));
    const results = keys.map((key) => ask(createExchange({ key }, createScope())));
    await waitForCalls(calls, 2);
    calls[0]?.complete('"0x1"');
    calls[1]?.complete('"0x2"');
    assert.deepEqual(await Promise.all(results), ['"0x1"', '"0x2"', '"0x1"']);
  });

  it('continues callers in scheduler slots, after a result or an error', async () => {
    const { calls, ask } = createShared();
    for (const outcome of ['settle', 'fail'] as const) {
      const watch = watchTurns();
      const goOn = (): void => {
        watch.note();
        spin(SLOT_MS + 0.1);
      };
      const results = Array.from({ length: 12 }, () => ask(same()).then(goOn, goOn));
      const call = calls.pop();
      if (outcome === 'settle') call?.complete('"0x1"');
      else call?.fail(new UpstreamFault('unreachable', 'scripted'));
      await Promise.all(results);
      // The first one runs at once.
      assert.ok(watch.end() <= 2, `${watch.end()} in a turn`);
    }
  });

  it('does not cancel a completed call when a caller that has not continued yet cancels', async () => {
    const { calls, ask } = createShared();
    const callers = [createCaller(), createCaller()];
    const results = callers.map(({ scope }) => ask(same(scope)));
    const stream = createStream('"0x1234"');
    calls[0]?.complete(stream);
    await Promise.resolve();
    callers[1]?.controller.abort();
    await assert.rejects(results[1] as Promise<JsonResult>, { kind: 'aborted' });
    assert.equal(calls[0]?.scope.signal.aborted, false);
    assert.equal(await readAll((await results[0]) as typeof stream), '"0x1234"');
  });

  it('reports an error to all callers, after one request', async () => {
    const { calls, ask } = createShared();
    const results = Array.from({ length: 5 }, () => ask(same()));
    calls[0]?.fail(new UpstreamFault('unreachable', 'scripted'));
    for (const result of results) await assert.rejects(result, { kind: 'unreachable' });
    assert.equal(calls.length, 1);
  });

  it('separates calls of different blocks, requests or names, and never shares calls without any of these', async () => {
    const { calls, ask } = createShared();
    const requests = [
      { key: KEY },
      { key: { ...KEY, blockHash: '0xbb' } },
      { key: { ...KEY, request: '2:eth_call:[]' } },
      { sharedAs: 'block:1' },
      { sharedAs: 'block:2' },
      {},
      {},
    ];
    const results = requests.map((call) => ask(createExchange(call)));
    assert.equal(calls.length, requests.length);
    for (const call of calls) call.complete('1');
    await Promise.all(results);
  });

  it('continues while any caller waits, whichever others cancel', async () => {
    const { calls, ask } = createShared();
    const callers = Array.from({ length: 4 }, () => createCaller());
    const counts = callers.map(({ scope }) => watchListeners(scope));
    const results = callers.map(({ scope }) => ask(same(scope)));
    for (const index of [0, 2, 1]) {
      callers[index]?.controller.abort();
      await assert.rejects(results[index] as Promise<JsonResult>, { kind: 'aborted' });
      assert.equal(calls[0]?.scope.signal.aborted, false);
    }
    calls[0]?.complete('1');
    assert.equal(await results[3], '1');
    assert.equal(calls.length, 1);
    for (const countListeners of counts) assert.equal(countListeners(), 0);
  });

  it('cancels the call when the last caller has cancelled, and starts a new one for the next caller', async () => {
    const { calls, ask } = createShared();
    const callers = [createCaller(), createCaller()];
    const results = callers.map(({ scope }) => ask(same(scope)));
    for (const { controller } of callers) controller.abort();
    for (const result of results) await assert.rejects(result, { kind: 'aborted' });
    assert.equal(calls[0]?.scope.signal.aborted, true);
    const next = ask(same());
    await waitForCalls(calls, 2);
    calls[0]?.fail(new UpstreamFault('aborted', 'scripted'));
    const other = ask(same());
    await waitForCalls(calls, 2);
    calls[1]?.complete('1');
    assert.deepEqual(await Promise.all([next, other]), ['1', '1']);
  });

  it('rejects a caller that cancelled before it called, without affecting others', async () => {
    const { calls, ask } = createShared();
    const gone = createScope(20_000, AbortSignal.abort());
    await assert.rejects(ask(same(gone)), { kind: 'aborted' });
    const result = ask(same());
    await tick();
    calls.at(-1)?.complete('1');
    assert.equal(await result, '1');
    for (const call of calls) call.fail(new UpstreamFault('aborted', 'scripted'));
  });

  it('after the deadline of the first caller, callers with more time share one further request', async () => {
    const { calls, ask } = createShared();
    const results = [ask(same(createScope(1_000))), ask(same()), ask(same()), ask(same())];
    calls[0]?.fail(new UpstreamFault('timeout', 'scripted'));
    await assert.rejects(results[0] as Promise<JsonResult>, { kind: 'timeout' });
    // Slots of one owner follow each other: after this one, every caller has sent again.
    await SCHEDULER.rejoin('');
    await waitForCalls(calls, 2);
    calls[1]?.complete('1');
    assert.deepEqual(await Promise.all(results.slice(1)), ['1', '1', '1']);
  });

  it('a caller with less time than the first does not send another request', async () => {
    const { calls, ask } = createShared();
    const results = [ask(same()), ask(same(createScope(1_000)))];
    calls[0]?.fail(new UpstreamFault('timeout', 'scripted'));
    for (const result of results) await assert.rejects(result, { kind: 'timeout' });
    assert.equal(calls.length, 1);
  });

  it('does not share streams: each caller sends its own request', async () => {
    const { calls, ask } = createShared();
    const results = [ask(same()), ask(same()), ask(same())];
    calls[0]?.complete(createStream('[0]'));
    await waitForCalls(calls, 3);
    calls[1]?.complete(createStream('[1]'));
    calls[2]?.complete('[2]');
    const texts = await Promise.all(results.map(async (result) => readAll(await result)));
    assert.deepEqual(texts, ['[0]', '[1]', '[2]']);
  });

  it('cancels the stream of a first caller that has cancelled', async () => {
    const { calls, ask } = createShared();
    const leader = createCaller();
    const results = [ask(same(leader.scope)), ask(same())];
    leader.controller.abort();
    await assert.rejects(results[0] as Promise<JsonResult>, { kind: 'aborted' });
    const orphan = createStream('[0]');
    calls[0]?.complete(orphan);
    await tick();
    assert.equal(orphan.isCancelled, true);
    calls[1]?.complete('[1]');
    assert.equal(await results[1], '[1]');
  });

  it('cancels a stream that arrives when no caller waits any more', async () => {
    const { calls, ask } = createShared();
    const { controller, scope } = createCaller();
    const result = ask(same(scope));
    controller.abort();
    await assert.rejects(result, { kind: 'aborted' });
    const orphan = createStream('[0]');
    calls[0]?.complete(orphan);
    await tick();
    assert.equal(orphan.isCancelled, true);
  });
});
