/** Calls that are sent coalesced: which are answered, and which are left for a request of their own. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChainError } from '../../src/chain/errors.ts';
import { UpstreamFault } from '../../src/pool/fault.ts';
import type { NodeReply } from '../../src/pool/node-call.ts';
import { OVERTAKEN } from '../../src/pool/policies/overtaken.ts';
import type { Pool } from '../../src/pool/pool.ts';
import type { SharedOutcome } from '../../src/pool/send-coalesced.ts';
import type { UpstreamRequest } from '../../src/pool/upstream-request.ts';
import type { CancelSignal } from '../../src/util/cancel-source.ts';
import type { RequestScope } from '../../src/util/request-scope.ts';
import { createCall, createScope } from './support/exchange.ts';
import { openWholePool } from './support/pool.ts';
import { type Behaviour, createNode, fault, nodeError } from './support/scripted-node.ts';

const BLOCK = { number: 7n, hash: `0x${'7'.repeat(64)}` };

/** A distinct request for each name. */
const ask = (name: string, parts: Partial<UpstreamRequest> = {}): UpstreamRequest =>
  createCall({
    params: `["${name}"]`,
    block: BLOCK,
    key: { blockHash: BLOCK.hash, request: name },
    ...parts,
  });

/** Behaviour by the name of the request; `"0x1"` for all others. */
const byName =
  (behaviours: Readonly<Record<string, Behaviour>>): Behaviour =>
  (call, options) => {
    const [name] = JSON.parse(call.params) as [string];
    return behaviours[name]?.(call, options) ?? { kind: 'result', result: '"0x1"' };
  };

async function requestAll(
  { sendCoalesced }: Pool,
  calls: readonly (UpstreamRequest | undefined)[],
  scope: RequestScope = createScope(),
): Promise<readonly (SharedOutcome | undefined)[]> {
  return sendCoalesced(calls, scope);
}

const describeOutcome = (outcome: SharedOutcome | undefined): string => {
  if (outcome === undefined) return 'none';
  const { answer, isRequested } = outcome;
  const text = answer instanceof ChainError ? answer.kind : (answer as string);
  return `${isRequested ? 'asked' : 'kept'} ${text}`;
};

describe('sendCoalesced', () => {
  it('sends all calls without a cached answer to one node, and caches its answers', async () => {
    const nodes = [createNode(byName({})), createNode(byName({}))];
    const pool = openWholePool(nodes);
    const first = await requestAll(pool, [ask('a'), undefined, ask('b')]);
    assert.deepEqual(first.map(describeOutcome), ['asked "0x1"', 'none', 'asked "0x1"']);
    const node = nodes.find(({ requested }) => requested.calls.length > 0);
    assert.equal(node?.requested.calls.length, 2);
    assert.deepEqual([first[0]?.node, first[2]?.node], [node?.upstream, node?.upstream]);
    assert.deepEqual([node?.upstream.health.inFlight, node?.upstream.seconds.count], [0, 2]);
    const second = await requestAll(pool, [ask('c'), ask('a'), ask('d'), ask('b')]);
    assert.deepEqual(second.map(describeOutcome), ['asked "0x1"', 'kept "0x1"', 'asked "0x1"', 'kept "0x1"']);
    assert.equal(second[0]?.node, second[2]?.node);
    const cached = pool.sendCoalesced([ask('a'), ask('b')], createScope());
    assert.ok(!(cached instanceof Promise), 'what is kept is there at once');
  });

  it('accepts a revert as an answer, and has no outcome for errors that may be specific to the node', async () => {
    const node = createNode(
      byName({
        revert: nodeError(3, 'execution reverted', '0x'),
        busy: nodeError(-32005, 'too many requests'),
        odd: nodeError(-32000, 'words that are not known'),
        missing: nodeError(-32000, 'missing trie node'),
        null: () => ({ kind: 'result', result: 'null' }),
        broken: fault('unreachable'),
      }),
    );
    const pool = openWholePool([node]);
    const refuse = (): never => {
      throw new ChainError('failed', 'not to be called');
    };
    const names = ['good', 'revert', 'busy', 'odd', 'missing', 'null', 'broken'];
    const outcomes = await requestAll(pool, [
      ...names.map((name) => ask(name)),
      createCall({ check: refuse }),
    ]);
    assert.deepEqual(outcomes.map(describeOutcome), [
      'asked "0x1"',
      'asked reverted',
      'none',
      'none',
      'none',
      'none',
      'none',
      'none',
    ]);
    assert.equal(node.upstream.health.inFlight, 0);
  });

  it('has no outcome for an answer that contradicts the block, and does not cache it', async () => {
    const node = createNode(byName({}));
    const pool = openWholePool([node]);
    let isWrong = true;
    const check: UpstreamRequest['check'] = (result) => {
      if (isWrong) throw new UpstreamFault('wrong', 'not of this block');
      return result;
    };
    const outcomes = await requestAll(pool, [ask('a', { check }), ask('b')]);
    assert.deepEqual(outcomes.map(describeOutcome), ['none', 'asked "0x1"']);
    isWrong = false;
    assert.equal(await pool.ask({ call: ask('a', { check }), scope: createScope() }), '"0x1"');
    assert.equal(node.requested.calls.length, 3);
  });

  it('has no outcome for calls already in flight, and lets later callers wait for coalesced calls', async () => {
    const waiting: (() => void)[] = [];
    const reserved: Behaviour = async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { kind: 'result', result: '"0x2"' };
    };
    const node = createNode(byName({ single: reserved, a: reserved }));
    const pool = openWholePool([node]);
    const single = pool.ask({ call: ask('single'), scope: createScope() });
    const together = requestAll(pool, [ask('single'), ask('a'), ask('b'), ask('b')]);
    const joined = pool.ask({ call: ask('a'), scope: createScope() });
    const gone = createScope();
    const left = pool.ask({ call: ask('a'), scope: gone });
    gone.abort();
    await assert.rejects(Promise.resolve(left));
    for (const release of waiting) release();
    assert.deepEqual((await together).map(describeOutcome), ['none', 'asked "0x2"', 'asked "0x1"', 'none']);
    assert.deepEqual(await Promise.all([single, joined]), ['"0x2"', '"0x2"']);
    assert.equal(node.requested.calls.length, 3);
  });

  it('callers that waited for an unanswered coalesced call send it themselves', async () => {
    let times = 0;
    const once: Behaviour = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return times++ === 0
        ? { kind: 'error', error: { code: -32000, message: 'missing trie node', data: undefined } }
        : { kind: 'result', result: '"0x3"' };
    };
    const pool = openWholePool([createNode(byName({ a: once }))]);
    const together = requestAll(pool, [ask('a'), ask('b')]);
    const joined = pool.ask({ call: ask('a'), scope: createScope() });
    assert.deepEqual((await together).map(describeOutcome), ['none', 'asked "0x1"']);
    assert.equal(await joined, '"0x3"');
  });

  it('has no outcome for calls at different blocks, cancelled calls, and calls for a failing node', async () => {
    const node = createNode(byName({}));
    const pool = openWholePool([node]);
    const other = { number: 8n, hash: `0x${'8'.repeat(64)}` };
    assert.deepEqual(await requestAll(pool, [ask('a'), ask('b', { block: other })]), [undefined, undefined]);
    assert.deepEqual(await requestAll(pool, []), []);
    const gone = createScope();
    gone.abort();
    assert.deepEqual(await requestAll(pool, [ask('a'), ask('b')], gone), [undefined, undefined]);
    for (let i = 0; i < 20; i++) node.upstream.health.fail(1);
    assert.deepEqual(await requestAll(pool, [ask('a'), ask('b')]), [undefined, undefined]);
    assert.equal(node.requested.calls.length, 0);
  });

  it('allows each node the whole time until the deadline', async () => {
    for (const count of [1, 2]) {
      const deadlines: number[] = [];
      const nodes = Array.from({ length: count }, () =>
        createNode((_call, { deadline }) => {
          deadlines.push(deadline);
          return { kind: 'result', result: '"0x1"' };
        }),
      );
      const scope = createScope();
      await requestAll(openWholePool(nodes), [ask('a'), ask('b')], scope);
      assert.deepEqual(deadlines, [scope.deadline, scope.deadline]);
    }
  });

  it('sends the calls that a silent node has not answered to the next node, and accepts the first answer of either', async () => {
    /** Unanswered calls, by node and name of the request. */
    const open = new Map<string, (reply: NodeReply | Promise<NodeReply>) => void>();
    const signals = new Map<string, CancelSignal | undefined>();
    const nodes = ['first', 'second'].map((node) =>
      createNode(
        (call, { signal }) =>
          new Promise<NodeReply>((resolve) => {
            const name = `${node} ${(JSON.parse(call.params) as [string])[0]}`;
            signals.set(name, signal);
            if (name === 'first a') resolve({ kind: 'result', result: '"0xa"' });
            else open.set(name, resolve);
          }),
      ),
    );
    const pool = openWholePool(nodes);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const together = requestAll(
      pool,
      names.map((name) => ask(name)),
      createScope(200),
    );
    while (!open.has('second f')) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.equal(open.has('second a'), false, 'what was answered is not asked for again');
    const say = (name: string, result: string): void => open.get(name)?.({ kind: 'result', result });
    const fail = (name: string): void =>
      open.get(name)?.(Promise.reject(new UpstreamFault('unreachable', 'scripted')));
    say('second b', '"0xb2"');
    fail('second d');
    fail('second e');
    say('second f', 'null');
    await new Promise((resolve) => setImmediate(resolve));
    say('first c', '"0xc1"');
    say('first d', '"0xd1"');
    say('first b', '"0xb1"');
    fail('first e');
    say('first f', '"0xf1"');
    const outcomes = await together;
    const told = outcomes.map((outcome) => outcome?.answer);
    assert.deepEqual(told.toSpliced(4, 1), ['"0xa"', '"0xb2"', '"0xc1"', '"0xd1"', '"0xf1"']);
    const [first, second] = nodes.map(({ upstream }) => upstream);
    assert.deepEqual(outcomes.map((outcome) => outcome?.node).toSpliced(4, 1), [
      first,
      second,
      first,
      first,
      first,
    ]);
    assert.equal(signals.get('second c')?.reason, OVERTAKEN);
    open.get('second c')?.(Promise.reject(new UpstreamFault('aborted', 'scripted')));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(
      nodes.map(({ upstream }) => upstream.health.inFlight),
      [0, 0],
    );
    assert.equal(await pool.ask({ call: ask('c'), scope: createScope() }), '"0xc1"', 'it is kept');
  });

  it('does not repeat a call that has used up its time', async () => {
    const scope = createScope(20);
    const late: Behaviour = async () => {
      while (performance.now() <= scope.deadline) await new Promise((resolve) => setTimeout(resolve, 5));
      return fault('timeout')({ method: '', params: '' }, { deadline: 0 });
    };
    const pool = openWholePool([createNode(byName({ a: late, b: late }))]);
    const outcomes = await requestAll(pool, [ask('a'), ask('b')], scope);
    assert.deepEqual(outcomes.map(describeOutcome), ['asked timeout', 'asked timeout']);
  });
});
