/** Pending transactions: from nodes that announce them, and from nodes that have filters. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import type { NodeCall, NodeReply } from '../../../src/pool/node-call.ts';
import { createNodeMemory } from '../../../src/pool/node-memory.ts';
import { NodePendingFeed, type PendingNode } from '../../../src/pool/pending/pending-feed.ts';
import type { AnnouncementListener, Transport } from '../../../src/pool/transport/transport.ts';
import { AnswerMemory } from '../../../src/util/answer-memory.ts';
import { createRecordingLog } from '../../gateway/recording-log.ts';
import { complete, FakeClock } from '../../support/fake-clock.ts';

const hashOf = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`;

type TestNode = { -readonly [K in keyof PendingNode]: PendingNode[K] };

const HEALTHY = {
  operator: 'test',
  name: 'node',
  isUp: true,
  isOnFork: false,
  isBehind: false,
  openMemory: () => new AnswerMemory(createNodeMemory(), 'node'),
};
const NO_TRANSPORT = {
  sendBatch: () => assert.fail('no batches'),
  close: async () => {},
};

/** A node behind a WebSocket. */
function createAnnouncer() {
  const listeners = new Set<AnnouncementListener>();
  const kinds: string[] = [];
  const transport: Transport = {
    ...NO_TRANSPORT,
    send: () => assert.fail('such a node is not asked'),
    watch(kind, listener) {
      kinds.push(kind);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const node: TestNode = { ...HEALTHY, control: transport, announcer: transport };
  const announce = (result: unknown): void => {
    for (const listener of listeners) listener.onResult(result);
  };
  return { node, announce, listeners, kinds };
}

const result = (value: unknown): NodeReply => ({ kind: 'result', result: JSON.stringify(value) });
const failure = (code: number, message: string): NodeReply => ({
  kind: 'error',
  error: { code, message, data: undefined },
});

/** A node with filters; `changes` are the changes of its next poll. */
function createFilterNode(clock: FakeClock) {
  const calls: { readonly at: number; readonly call: string }[] = [];
  const script = {
    changes: [] as unknown,
    filters: 0,
    reply: undefined as ((call: NodeCall) => NodeReply | undefined) | undefined,
  };
  const transport: Transport = {
    ...NO_TRANSPORT,
    async send(call) {
      calls.push({ at: clock.now(), call: `${call.method} ${call.params}` });
      const own = script.reply?.(call);
      if (own !== undefined) return own;
      if (call.method === 'eth_newPendingTransactionFilter') return result(`0xf${++script.filters}`);
      if (call.method === 'eth_uninstallFilter') return result(true);
      const changes = script.changes;
      script.changes = [];
      return result(changes);
    },
  };
  const node: TestNode = { ...HEALTHY, control: transport, announcer: transport };
  return { node, script, calls, textOf: () => calls.map(({ call }) => call) };
}

function createFeed(nodes: readonly PendingNode[], clock = new FakeClock()) {
  const log = createRecordingLog();
  const feed = new NodePendingFeed({ network: 'test', nodes, log, clock });
  const heard: string[][] = [];
  const watch = (): (() => void) => feed.watch((hashes) => heard.push([...hashes]));
  return { feed, clock, log, heard, watch };
}

describe('pending transactions announced by nodes', () => {
  it('are reported once, whichever nodes announce them, in any case', async () => {
    const [one, two] = [createAnnouncer(), createAnnouncer()];
    const { heard, watch } = createFeed([one.node, two.node]);
    watch();
    assert.deepEqual([one.kinds, two.kinds], [['newPendingTransactions'], ['newPendingTransactions']]);
    one.announce(hashOf(10));
    two.announce(hashOf(10).toUpperCase().replace('0X', '0x'));
    two.announce(hashOf(11));
    await complete();
    assert.deepEqual(heard, [[hashOf(10), hashOf(11)]]);
    one.announce(hashOf(11));
    one.announce(hashOf(12));
    await complete();
    assert.deepEqual(heard.slice(1), [[hashOf(12)]]);
  });

  it('are reported only if they are hashes, and only from usable nodes', async () => {
    const { node, announce } = createAnnouncer();
    const { heard, watch } = createFeed([node]);
    watch();
    for (const value of [null, 5, {}, '0x12', `${hashOf(1)}0`, `${hashOf(1).slice(0, -1)}g`]) announce(value);
    for (const state of [{ isUp: false }, { isOnFork: true }, { isBehind: true }]) {
      Object.assign(node, HEALTHY, state);
      announce(hashOf(1));
    }
    await complete();
    assert.deepEqual(heard, []);
    Object.assign(node, HEALTHY);
    announce(hashOf(1));
    await complete();
    assert.deepEqual(heard, [[hashOf(1)]]);
  });

  it('are subscribed to only while a listener watches', async () => {
    const { node, announce, listeners, kinds } = createAnnouncer();
    const { heard, watch, feed } = createFeed([node]);
    assert.equal(kinds.length, 0);
    const [first, second] = [watch(), watch()];
    assert.equal(kinds.length, 1);
    first();
    first();
    assert.equal(listeners.size, 1);
    announce(hashOf(1));
    second();
    assert.equal(listeners.size, 0);
    await complete();
    assert.deepEqual(heard, [], 'it has left');
    watch();
    announce(hashOf(2));
    await complete();
    assert.deepEqual(heard, [[hashOf(2)]]);
    feed.close();
    assert.equal(listeners.size, 0);
  });

  it('are ignored for a minute from a node that floods, without affecting other nodes', async () => {
    const [flooding, calm] = [createAnnouncer(), createAnnouncer()];
    const { heard, watch, log, clock } = createFeed([flooding.node, calm.node]);
    watch();
    for (let i = 0; i < 100_000 && flooding.listeners.size > 0; i++) flooding.announce(hashOf(i));
    assert.equal(flooding.listeners.size, 0);
    assert.equal(log.lines.length, 1);
    calm.announce(hashOf(1_000_000));
    await complete();
    assert.equal(heard.at(-1)?.at(-1), hashOf(1_000_000));
    assert.ok(heard.flat().length <= 20_001);
    assert.ok(heard.every((hashes) => hashes.length <= 1_024));
    await clock.advance(60_000);
    assert.equal(flooding.listeners.size, 1);
  });
});

describe('pending transactions in filters of nodes', () => {
  it('are polled every second, and the filter is uninstalled at the end', async () => {
    const clock = new FakeClock();
    const { node, script, calls, textOf } = createFilterNode(clock);
    const { heard, watch } = createFeed([node], clock);
    const leave = watch();
    script.changes = [hashOf(1), hashOf(2)];
    await clock.advance(1_000);
    script.changes = [hashOf(2), hashOf(3)];
    await clock.advance(1_000);
    assert.deepEqual(heard, [[hashOf(1), hashOf(2)], [hashOf(3)]]);
    leave();
    await clock.advance(10_000);
    assert.deepEqual(
      calls.map(({ at }) => at),
      [0, 0, 1_000, 2_000, 2_000],
    );
    assert.deepEqual(textOf(), [
      'eth_newPendingTransactionFilter []',
      'eth_getFilterChanges ["0xf1"]',
      'eth_getFilterChanges ["0xf1"]',
      'eth_getFilterChanges ["0xf1"]',
      'eth_uninstallFilter ["0xf1"]',
    ]);
    assert.equal(clock.pending, 0);
  });

  it('are polled from a new filter when the node has dropped the old one', async () => {
    const clock = new FakeClock();
    const { node, script } = createFilterNode(clock);
    const { heard, watch } = createFeed([node], clock);
    watch();
    await clock.advance(500);
    script.reply = () => failure(-32000, 'filter not found');
    await clock.advance(1_000);
    script.reply = undefined;
    script.changes = [hashOf(1)];
    await clock.advance(1_000);
    assert.equal(script.filters, 2);
    assert.deepEqual(heard, [[hashOf(1)]]);
  });

  it('are rarely requested from a node without such filters', async () => {
    for (const method of ['eth_newPendingTransactionFilter', 'eth_getFilterChanges']) {
      const clock = new FakeClock();
      const { node, script, calls } = createFilterNode(clock);
      const { watch } = createFeed([node], clock);
      script.reply = (call) => (call.method === method ? failure(-32601, 'no such method') : undefined);
      watch();
      await clock.advance(590_000);
      assert.ok(calls.length <= 6, `${calls.length} calls`);
      const before = calls.length;
      await clock.advance(20_000);
      assert.ok(calls.length > before, 'it may have them by now');
    }
  });

  it('are not requested from an unusable node, and less often from an unreachable one', async () => {
    const clock = new FakeClock();
    const { node, script, calls } = createFilterNode(clock);
    const { watch } = createFeed([node], clock);
    node.isUp = false;
    watch();
    await clock.advance(5_000);
    assert.equal(calls.length, 0);
    node.isUp = true;
    script.reply = () => {
      throw new UpstreamFault('unreachable', 'gone');
    };
    await clock.advance(300_000);
    assert.ok(calls.length > 5 && calls.length < 30, `${calls.length} calls`);
  });

  it('are ignored if they are too many or not a list', async () => {
    const clock = new FakeClock();
    const { node, script, calls } = createFilterNode(clock);
    const { heard, watch, log } = createFeed([node], clock);
    watch();
    for (const changes of [null, {}, 'text', [null, 5, {}]]) {
      script.changes = changes;
      await clock.advance(3_000);
    }
    assert.deepEqual(heard, []);
    let cancelled = 0;
    const stream = { pieces: (async function* () {})(), cancel: () => cancelled++ };
    script.reply = ({ method }) =>
      method === 'eth_getFilterChanges' ? { kind: 'result', result: stream } : undefined;
    await clock.advance(1_000);
    assert.equal(cancelled, 1);
    assert.equal(log.lines.length, 1);
    const before = calls.length;
    await clock.advance(58_000);
    assert.equal(calls.length, before, 'it is left alone for a minute');
  });

  it('are reported in several turns of the event loop if there are many', async () => {
    const clock = new FakeClock();
    const { node, script } = createFilterNode(clock);
    const { feed, heard, watch } = createFeed([node], clock);
    script.changes = Array.from({ length: 14_000 }, (_, i) => hashOf(i));
    let most = 0;
    let before = 0;
    let timer = setImmediate(function look() {
      most = Math.max(most, heard.flat().length - before);
      before = heard.flat().length;
      timer = setImmediate(look);
    });
    watch();
    await clock.advance(0);
    for (let i = 0; i < 100 && before < 14_000; i++) await complete();
    clearImmediate(timer);
    assert.equal(before, 14_000);
    assert.ok(most <= 1_024, `${most} hashes in one turn`);
    feed.close();
  });

  it('have the same rate limit as announcements: above it, the node is ignored for a minute', async () => {
    const clock = new FakeClock();
    const { node, script, calls, textOf } = createFilterNode(clock);
    const { heard, watch, log } = createFeed([node], clock);
    watch();
    let next = 0;
    const poll = async (): Promise<void> => {
      script.changes = Array.from({ length: 14_000 }, () => hashOf(next++));
      await clock.advance(1_000);
      for (let i = 0; i < 30; i++) await complete();
    };
    await poll();
    assert.equal(heard.flat().length, 14_000);
    await poll();
    assert.equal(log.lines.length, 1);
    assert.equal(textOf().at(-1), 'eth_uninstallFilter ["0xf1"]');
    const taken = heard.flat().length;
    assert.ok(taken >= 20_000 && taken <= 24_000, `${taken} hashes`);
    const before = calls.length;
    for (let i = 0; i < 5; i++) await poll();
    assert.equal(calls.length, before);
    assert.equal(heard.flat().length, taken);
    await clock.advance(60_000);
    assert.ok(calls.length > before, 'it is asked again');
  });
});
