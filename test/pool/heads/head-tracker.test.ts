import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import { WINDOW_BLOCKS } from '../../../src/pool/heads/block-window.ts';
import { HeadTracker, type PollDemand } from '../../../src/pool/heads/head-tracker.ts';
import { hashOf, makeBlock, TestChain } from '../../support/block-tree.ts';
import { countRuns } from '../../support/count-runs.ts';
import { complete, FakeClock } from '../../support/fake-clock.ts';
import { ScriptedFeed } from '../../support/scripted-feed.ts';

function createTracker({
  length = 101,
  announces = false,
  syncs = false,
  blockTimeMs,
  isAwaited = false,
  demand = 'usual',
}: {
  length?: number;
  announces?: boolean;
  syncs?: boolean;
  blockTimeMs?: number;
  isAwaited?: boolean;
  demand?: PollDemand;
} = {}) {
  const clock = new FakeClock();
  const feed = new ScriptedFeed(clock, TestChain.create('a', length), { announces, syncs });
  const seen: (bigint | undefined)[] = [];
  const tracker = new HeadTracker(feed, {
    pollInterval: { min: 250, max: 6_000 },
    blockTimeMs,
    syncTolerance: 8,
    clock,
    isAwaited: () => isAwaited,
    demand: () => demand,
    maxLagMs: 30_000,
    onChange: () => seen.push(tracker.latest?.number),
  });
  return { clock, feed, tracker, seen };
}

/** Asserts that the tracked hashes form one chain. */
function assertOneChain(tracker: HeadTracker): void {
  const top = tracker.latest?.number ?? 0n;
  for (let number = top; number > 0n && number > top - 300n; number--) {
    const header = tracker.headerAt(number);
    const below = tracker.hashAt(number - 1n);
    if (header !== undefined && below !== undefined) assert.equal(below, header.parentHash);
  }
  assert.equal(tracker.hashAt(top), tracker.latest?.hash);
  assert.equal(tracker.hashAt(top + 1n), undefined);
}

test('the first poll reports the head and some blocks below it', async () => {
  const { tracker, feed } = createTracker();
  assert.deepEqual([tracker.latest], [undefined]);
  assert.equal(tracker.holds(0n), false);
  tracker.start();
  await complete();
  assert.equal(tracker.latest?.number, 100n);
  assert.equal(tracker.hashAt(100n), hashOf('a', 100n));
  assert.equal(tracker.hashAt(92n), hashOf('a', 92n));
  assert.equal(tracker.headerAt(92n)?.hash, hashOf('a', 92n));
  assert.ok(feed.numbersAsked.length <= 8);
  assertOneChain(tracker);
});

test('the blocks of a short chain are read down to genesis', async () => {
  const { tracker, feed } = createTracker({ length: 3 });
  tracker.start();
  await complete();
  assert.equal(tracker.hashAt(0n), hashOf('a', 0n));
  assert.deepEqual(feed.numbersAsked, [1n, 0n]);
});

test('a node holds each block up to its head unless it has another one at that height', async () => {
  const { tracker } = createTracker();
  tracker.start();
  await complete();
  assert.equal(tracker.holds(100n), true);
  assert.equal(tracker.holds(101n), false);
  assert.equal(tracker.holds(100n, hashOf('a', 100n)), true);
  assert.equal(tracker.holds(100n, hashOf('b', 100n)), false);
  assert.equal(tracker.holds(5n, hashOf('b', 5n)), true, 'nothing is known of block 5');
});

test('polls are half of the observed block time apart', async () => {
  const { tracker, feed, clock } = createTracker();
  tracker.start();
  for (let block = 0; block < 10; block++) {
    await clock.advance(2_000);
    feed.chain.grow('a', 1);
  }
  feed.requested.length = 0;
  const from = clock.now();
  await clock.advance(20_000);
  const polls = feed.timesOf('latest').filter((at) => at > from).length;
  assert.ok(polls >= 18 && polls <= 25, `${polls} polls in ten block times`);
});

for (const [blockTime, delay, polls] of [
  [12_000, 800, 9],
  [2_000, 250, 6],
  [1_000, 250, 4],
] as const) {
  test(`an awaited block is polled for when it is due, at a block time of ${blockTime} ms`, async () => {
    const { tracker, feed, clock } = createTracker({ isAwaited: true, blockTimeMs: blockTime });
    tracker.start();
    const delays: number[] = [];
    let requested = 0;
    for (let block = 0; block < 30; block++) {
      const height = feed.chain.grow('a', 1).tip.number;
      if (block === 20) requested = feed.timesOf('latest').length;
      for (let ms = 0; ms < blockTime; ms += 50) {
        await clock.advance(50);
        if (delays.length === block && tracker.latest?.number === height) delays.push(ms + 50);
      }
    }
    const late = delays.slice(20);
    assert.ok(late.length === 10 && late.every((ms) => ms <= delay), `found after ${late} ms`);
    const perBlock = (feed.timesOf('latest').length - requested) / 10;
    assert.ok(perBlock <= polls, `${perBlock} polls a block`);
  });
}

for (const [blockTime, delay, polls] of [
  [12_000, 1_500, 2],
  [2_000, 1_000, 2],
  [250, 1_000, 0.25],
] as const) {
  test(`polls that cost credits are few, at a block time of ${blockTime} ms`, async () => {
    for (const isAwaited of [false, true]) {
      const { tracker, feed, clock } = createTracker({ isAwaited, demand: 'priced', blockTimeMs: blockTime });
      tracker.start();
      let longest = 0;
      let requested = 0;
      let foundAt = 0;
      for (let block = 0; block < 80; block++) {
        const height = feed.chain.grow('a', 1).tip.number;
        if (block === 40) requested = feed.timesOf('latest').length;
        const at = clock.now();
        for (let ms = 0; ms < blockTime; ms += 50) {
          await clock.advance(50);
          const { latest } = tracker;
          if (latest?.number === height) foundAt = clock.now();
          else if (block >= 40) longest = Math.max(longest, clock.now() - Math.max(at, foundAt));
        }
      }
      assert.ok(longest <= delay, `found after ${longest} ms`);
      const perBlock = (feed.timesOf('latest').length - requested) / 40;
      assert.ok(perBlock <= polls, `${perBlock} polls a block`);
    }
  });
}

test('a node that only has to show that it answers is polled every 15 s, its finalized block every minute at most', async () => {
  const { tracker, feed, clock } = createTracker({ demand: 'idle', blockTimeMs: 2_000 });
  tracker.start();
  await clock.advance(600_000);
  assert.equal(feed.timesOf('latest').length, 41);
  assert.ok(feed.timesOf('finalized').length <= 11);
});

test('an overdue block is polled for at the usual interval', async () => {
  const { tracker, feed, clock } = createTracker({ isAwaited: true, blockTimeMs: 8_000 });
  tracker.start();
  await clock.advance(20_000);
  const before = feed.timesOf('latest').length;
  await clock.advance(40_000);
  assert.equal(feed.timesOf('latest').length - before, 10);
});

test('a configured block time replaces the observed one within the bounds of the interval', async () => {
  const { tracker, feed, clock } = createTracker({ blockTimeMs: 10 });
  tracker.start();
  await clock.advance(2_500);
  assert.deepEqual(
    feed.timesOf('latest'),
    Array.from({ length: 11 }, (_, i) => i * 250),
  );
  const slow = createTracker({ blockTimeMs: 600_000 });
  slow.tracker.start();
  await slow.clock.advance(12_000);
  assert.deepEqual(slow.feed.timesOf('latest'), [0, 6_000, 12_000]);
});

test('polls of one kind never overlap', async () => {
  const { tracker, feed, clock } = createTracker({ announces: true, blockTimeMs: 500 });
  feed.hold();
  tracker.start();
  feed.ready();
  feed.lose();
  const refreshed = tracker.refresh();
  await clock.advance(60_000);
  assert.deepEqual(feed.timesOf('latest'), [0]);
  assert.deepEqual(feed.timesOf('finalized'), [0]);
  assert.deepEqual(feed.timesOf('safe'), []);
  feed.release();
  await refreshed;
  assert.equal(tracker.latest?.number, 100n);
});

test('refresh polls at once', async () => {
  const { tracker, feed } = createTracker();
  tracker.start();
  await complete();
  feed.chain.grow('a', 1);
  await tracker.refresh();
  assert.equal(tracker.latest?.number, 101n);
});

test('failed polls are counted and followed by a backoff, and the last head remains', async () => {
  const { tracker, feed, clock } = createTracker({ blockTimeMs: 2_000 });
  tracker.start();
  await complete();
  feed.fault = new UpstreamFault('unreachable', 'gone');
  await clock.advance(1_000);
  assert.equal(tracker.failures, 1);
  await clock.advance(120_000);
  const times = feed.timesOf('latest');
  const pauses = times.slice(1).map((at, i) => at - (times[i] ?? 0));
  assert.deepEqual(pauses.slice(0, 6), [1_000, 1_000, 2_000, 4_000, 8_000, 12_000]);
  assert.ok(pauses.every((pause) => pause <= 12_000));
  assert.equal(tracker.latest?.number, 100n, 'what was known stays known');
  feed.fault = undefined;
  feed.chain.grow('a', 1);
  await clock.advance(12_000);
  assert.equal(tracker.failures, 0);
  assert.equal(tracker.latest?.number, 101n);
});

test('faults of any kind, unexpected errors included, do not escape', async () => {
  const { tracker, feed } = createTracker();
  for (const fault of [new UpstreamFault('wrong', 'x'), new TypeError('bug'), new RangeError('bug')]) {
    feed.fault = fault;
    tracker.start();
    await tracker.refresh();
    assert.deepEqual([tracker.latest], [undefined]);
  }
  assert.ok(tracker.failures >= 2);
});

test('announced heads are reported at once, with a slow poll as a safeguard', async () => {
  const { tracker, feed, clock, seen } = createTracker({ announces: true, blockTimeMs: 2_000 });
  tracker.start();
  feed.ready();
  await complete();
  feed.requested.length = 0;
  seen.length = 0;
  for (let block = 0; block < 20; block++) {
    feed.chain.grow('a', 1);
    feed.announce();
    assert.equal(tracker.latest?.hash, feed.chain.tip.hash, 'at once');
    await clock.advance(2_000);
  }
  assert.equal(seen.length, 20);
  assert.equal(feed.timesOf('latest').length, 10, 'every 4 intervals of 1 s');
  assert.deepEqual(feed.numbersAsked, []);
});

test('all of several announcements at once are processed', async () => {
  const { tracker, feed } = createTracker({ announces: true });
  tracker.start();
  await complete();
  feed.requested.length = 0;
  for (let block = 0; block < 3; block++) {
    feed.chain.grow('a', 1);
    feed.announce();
  }
  await complete();
  assert.equal(tracker.latest?.number, 103n);
  assert.deepEqual(feed.numbersAsked, []);
  assert.equal(tracker.headerAt(102n)?.hash, hashOf('a', 102n));
});

test('lost announcements cause a poll at once and full polling; regained ones cause a catch-up poll', async () => {
  const { tracker, feed, clock } = createTracker({ announces: true, blockTimeMs: 2_000 });
  tracker.start();
  feed.ready();
  await complete();
  await clock.advance(500);
  feed.requested.length = 0;
  feed.lose();
  await clock.advance(3_000);
  assert.deepEqual(feed.timesOf('latest'), [500, 1_500, 2_500, 3_500]);
  feed.chain.grow('a', 1);
  await clock.advance(200);
  feed.ready();
  await complete();
  assert.equal(tracker.latest?.number, 101n);
  feed.chain.grow('a', 1);
  feed.announce();
  await clock.advance(1_000);
  feed.requested.length = 0;
  await clock.advance(8_000);
  assert.equal(feed.timesOf('latest').length, 2, 'every 4 intervals again');
});

test('the slow poll detects announcements that stop silently', async () => {
  const { tracker, feed, clock } = createTracker({ announces: true, blockTimeMs: 2_000 });
  tracker.start();
  feed.ready();
  await complete();
  feed.chain.grow('a', 1);
  await clock.advance(4_000);
  assert.equal(tracker.latest?.number, 101n);
  feed.requested.length = 0;
  await clock.advance(4_000);
  assert.deepEqual(feed.timesOf('latest'), [5_000, 6_000, 7_000, 8_000]);
  feed.chain.grow('a', 1);
  feed.announce();
  feed.requested.length = 0;
  await clock.advance(6_000);
  assert.ok(feed.timesOf('latest').length <= 2, 'trusted again');
});

test('the result of a poll that an announcement has overtaken does not lower the head', async () => {
  const { tracker, feed, seen } = createTracker({ announces: true });
  tracker.start();
  await complete();
  seen.length = 0;
  feed.hold();
  const refreshed = tracker.refresh();
  feed.chain.grow('a', 1);
  feed.announce();
  feed.release();
  await refreshed;
  assert.deepEqual(seen, [101n]);
  assert.equal(tracker.latest?.number, 101n);
});

test('a reorg is followed down to its fork point before the head is reported', async () => {
  const { tracker, feed, seen } = createTracker();
  tracker.start();
  await complete();
  feed.chain = feed.chain.fork('b', 95, 6);
  feed.requested.length = 0;
  seen.length = 0;
  await tracker.refresh();
  assert.deepEqual(seen, [101n]);
  assert.deepEqual(feed.numbersAsked, [100n, 99n, 98n, 97n, 96n]);
  for (let number = 96n; number <= 101n; number++) assert.equal(tracker.hashAt(number), hashOf('b', number));
  assert.equal(tracker.hashAt(95n), hashOf('a', 95n));
  assert.equal(tracker.holds(98n, hashOf('a', 98n)), false);
  assertOneChain(tracker);
});

test('a reorg to a lower head is followed', async () => {
  const { tracker, feed } = createTracker();
  tracker.start();
  await complete();
  feed.chain = feed.chain.fork('b', 95, 2);
  await tracker.refresh();
  assert.equal(tracker.latest?.hash, hashOf('b', 97n));
  assert.equal(tracker.hashAt(98n), undefined);
  assert.equal(tracker.hashAt(95n), hashOf('a', 95n));
  assertOneChain(tracker);
});

test('a jump back on the same chain sends no request and drops the blocks above', async () => {
  const { tracker, feed } = createTracker();
  tracker.start();
  await complete();
  feed.requested.length = 0;
  feed.chain = new TestChain(feed.chain.blocks.slice(0, 96));
  await tracker.refresh();
  assert.equal(tracker.latest?.number, 95n);
  assert.equal(tracker.hashAt(96n), undefined);
  assert.deepEqual(feed.numbersAsked, []);
  assertOneChain(tracker);
});

test('a jump ahead sends one request, for the block above the previous head', async () => {
  const { tracker, feed } = createTracker();
  tracker.start();
  await complete();
  feed.requested.length = 0;
  feed.chain.grow('a', 20);
  await tracker.refresh();
  assert.deepEqual(feed.numbersAsked, [101n]);
  assert.equal(tracker.hashAt(119n), hashOf('a', 119n));
  assert.equal(tracker.hashAt(110n), undefined);
  assert.equal(tracker.hashAt(101n), hashOf('a', 101n));
  assert.equal(tracker.hashAt(100n), hashOf('a', 100n));
  assertOneChain(tracker);
});

test('a reorg within a jump ahead is detected', async () => {
  const { tracker, feed } = createTracker();
  tracker.start();
  await complete();
  feed.chain = feed.chain.fork('b', 97, 30);
  await tracker.refresh();
  assert.equal(tracker.hashAt(98n), hashOf('b', 98n));
  assert.equal(tracker.hashAt(100n), hashOf('b', 100n));
  assert.equal(tracker.hashAt(97n), hashOf('a', 97n));
  assertOneChain(tracker);
});

test('a reorg deeper than the bound leaves only hashes of the new chain', async () => {
  const { tracker, feed } = createTracker({ length: 101 });
  tracker.start();
  await complete();
  for (let block = 0; block < 200; block++) {
    feed.chain.grow('a', 1);
    await tracker.refresh();
  }
  feed.chain = feed.chain.fork('b', 100, 250);
  feed.requested.length = 0;
  await tracker.refresh();
  assert.ok(feed.numbersAsked.length <= 64 + 8);
  assert.equal(tracker.latest?.hash, hashOf('b', 350n));
  for (let number = 0n; number < 351n; number++) assert.notEqual(tracker.hashAt(number), hashOf('a', number));
  assertOneChain(tracker);
});

test('a failed walk down leaves older hashes unknown rather than wrong', async () => {
  const { tracker, feed } = createTracker({ announces: true });
  tracker.start();
  await complete();
  const reorged = feed.chain.fork('b', 95, 8);
  feed.fault = new UpstreamFault('timeout', 'slow');
  feed.announce(reorged.tip);
  await complete();
  assert.equal(tracker.latest?.hash, hashOf('b', 103n));
  assert.equal(tracker.hashAt(102n), hashOf('b', 102n));
  assert.equal(tracker.hashAt(99n), undefined);
  assertOneChain(tracker);
});

test('a second reorg during the walk down does not link to an older branch', async () => {
  const { tracker, feed } = createTracker();
  tracker.start();
  await complete();
  feed.chain = feed.chain.fork('b', 95, 8);
  const refreshed = tracker.refresh();
  feed.hold();
  await complete();
  assert.deepEqual(feed.numbersAsked.slice(-1), [101n]);
  feed.chain = feed.chain.fork('c', 95, 9);
  feed.release();
  await refreshed;
  assert.equal(tracker.latest?.hash, hashOf('b', 103n));
  assert.equal(tracker.hashAt(102n), hashOf('b', 102n));
  assert.equal(tracker.hashAt(99n), undefined);
  assertOneChain(tracker);
  await tracker.refresh();
  assert.equal(tracker.hashAt(98n), hashOf('c', 98n));
  assertOneChain(tracker);
});

test('after a walk down, the newest of the heads that arrived meanwhile is next', async () => {
  const { tracker, feed, seen } = createTracker({ announces: true });
  tracker.start();
  await complete();
  seen.length = 0;
  feed.chain = feed.chain.fork('b', 97, 4);
  feed.hold();
  feed.announce();
  for (let block = 0; block < 3; block++) {
    feed.chain.grow('b', 1);
    feed.announce();
  }
  await complete();
  assert.equal(tracker.latest?.hash, hashOf('a', 100n));
  feed.release();
  await complete();
  assert.deepEqual(seen, [101n, 104n]);
  assert.equal(tracker.hashAt(97n), hashOf('a', 97n));
  assert.equal(tracker.hashAt(98n), hashOf('b', 98n));
  assertOneChain(tracker);
});

test('absurd heads are reported unchanged, and a later head replaces them', async () => {
  const { tracker, feed } = createTracker({ announces: true });
  tracker.start();
  await complete();
  feed.announce(makeBlock('x', 2n ** 60n));
  await complete();
  assert.equal(tracker.latest?.number, 2n ** 60n);
  feed.announce(makeBlock('y', 0n));
  await complete();
  assert.equal(tracker.latest?.number, 0n);
  feed.announce();
  await complete();
  assert.equal(tracker.latest?.hash, hashOf('a', 100n));
  assert.equal(tracker.hashAt(95n), hashOf('a', 95n));
  assertOneChain(tracker);
});

test('a bounded number of blocks is stored', async () => {
  const { tracker, feed } = createTracker({ length: 2, announces: true });
  tracker.start();
  await complete();
  for (let block = 0; block < 400; block++) {
    feed.chain.grow('a', 1);
    feed.announce();
  }
  const oldest = 401n - BigInt(WINDOW_BLOCKS) + 1n;
  assert.equal(tracker.hashAt(oldest), hashOf('a', oldest));
  assert.equal(tracker.hashAt(oldest - 1n), undefined);
});

test('safe and finalized are polled less often', async () => {
  const { tracker, feed, clock } = createTracker({ blockTimeMs: 2_000 });
  feed.safe = 90;
  feed.finalized = 80;
  tracker.start();
  await complete();
  assert.deepEqual([tracker.safe?.number, tracker.finalized?.number], [90n, 80n]);
  feed.safe = 91;
  feed.finalized = 81;
  await clock.advance(7_999);
  assert.deepEqual(feed.timesOf('safe'), [0]);
  await clock.advance(1);
  assert.deepEqual([tracker.safe?.number, tracker.finalized?.number], [91n, 81n]);
});

test('unsupported tags are undefined; failed polls leave tags unchanged', async () => {
  const { tracker, feed, clock, seen } = createTracker({ blockTimeMs: 2_000 });
  feed.safe = 90;
  feed.finalized = 80;
  tracker.start();
  await complete();
  feed.finalized = new UpstreamFault('unreachable', 'gone');
  await clock.advance(8_000);
  assert.deepEqual([tracker.safe?.number, tracker.finalized?.number], [90n, 80n]);
  assert.equal(tracker.failures, 0, 'latest is reported all the while');
  feed.finalized = null;
  seen.length = 0;
  await clock.advance(8_000);
  assert.deepEqual([tracker.safe?.number, tracker.finalized?.number], [90n, undefined]);
  assert.equal(seen.length, 1);
  for (const kind of ['missing', 'unsupported', 'unknown'] as const) {
    feed.safe = new UpstreamFault(kind, 'unknown block');
    await clock.advance(8_000);
    assert.deepEqual([tracker.safe], [undefined], kind);
    feed.safe = 90;
    await clock.advance(8_000);
    assert.equal(tracker.safe?.number, 90n);
  }
});

test('stopping ends polls and announcements, and later results are not reported', async () => {
  const { tracker, feed, clock, seen } = createTracker({ announces: true });
  tracker.start();
  await complete();
  feed.chain.grow('a', 1);
  feed.hold();
  void tracker.refresh();
  const [watcher] = feed.watchers;
  tracker.stop();
  seen.length = 0;
  feed.release();
  watcher?.onHeader(makeBlock('a', 150n));
  watcher?.onLost();
  await clock.advance(60_000);
  assert.deepEqual(seen, []);
  assert.equal(feed.watchers.size, 0);
  assert.equal(clock.pending, 0);
  feed.chain.grow('a', 1);
  tracker.start();
  await complete();
  assert.equal(tracker.latest?.number, 102n);
  assert.equal(feed.watchers.size, 1);
});

type Turn = { readonly kind: 'grow' | 'reorg' | 'back' | 'fail' | 'announce'; readonly blocks: number };

test('a tracker reports a single chain whatever the node does, and the head once the node answers', async () => {
  const turnOf: fc.Arbitrary<Turn> = fc.record({
    kind: fc.constantFrom('grow', 'reorg', 'back', 'fail', 'announce'),
    blocks: fc.integer({ min: 1, max: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(turnOf, { maxLength: 25 }), async (slots) => {
      const { tracker, feed } = createTracker({ length: 30, announces: true });
      tracker.start();
      await tracker.refresh();
      for (const [i, { kind, blocks }] of slots.entries()) {
        const last = Math.max(0, feed.chain.blocks.length - 1 - blocks);
        feed.fault = kind === 'fail' ? new UpstreamFault('unreachable', 'gone') : undefined;
        if (kind === 'reorg') feed.chain = feed.chain.fork(`r${i}`, last, blocks + (i % 3));
        else if (kind === 'back') feed.chain = new TestChain(feed.chain.blocks.slice(0, last + 1));
        else feed.chain = feed.chain.fork(`g${i}`, feed.chain.blocks.length - 1, blocks);
        if (kind === 'announce') feed.announce();
        await tracker.refresh();
        assertOneChain(tracker);
      }
      feed.fault = undefined;
      await complete();
      await tracker.refresh();
      await complete();
      assert.equal(tracker.latest?.hash, feed.chain.tip.hash);
      for (const block of feed.chain.blocks) {
        const known = tracker.hashAt(block.number);
        if (known !== undefined) assert.equal(known, block.hash);
      }
      tracker.stop();
    }),
    { numRuns: countRuns(100) },
  );
});

test('the sync status is known before the first head counts', async () => {
  const { tracker, feed } = createTracker({ length: 1, syncs: true });
  feed.sync = { target: 500n };
  tracker.start();
  await complete();
  assert.deepEqual([tracker.latest?.number, tracker.isSyncing, tracker.syncTarget], [0n, true, 500n]);
});

test('a node near its reported sync target is synced; one without a target is not', async () => {
  const { tracker, feed, clock } = createTracker({ syncs: true });
  feed.sync = { target: 108n };
  tracker.start();
  await clock.advance(1_000);
  assert.deepEqual([tracker.isSyncing, tracker.syncTarget], [false, undefined]);
  for (const sync of [{ target: 109n }, { target: undefined }]) {
    feed.sync = sync;
    await clock.advance(60_000);
    assert.equal(tracker.isSyncing, true);
  }
  feed.sync = new UpstreamFault('timeout', 'scripted');
  await clock.advance(60_000);
  assert.equal(tracker.isSyncing, true, 'what cannot be asked stays');
});

test('the end of a sync takes effect with the next head', async () => {
  const { tracker, feed, clock } = createTracker({ length: 1, syncs: true });
  feed.sync = { target: 500n };
  const heads: (bigint | undefined)[] = [];
  const watch = (): void => {
    if (!tracker.isSyncing) heads.push(tracker.latest?.number);
  };
  tracker.start();
  await clock.advance(1_000);
  feed.chain = TestChain.create('a', 401);
  feed.sync = undefined;
  for (let step = 0; step < 400; step++) {
    watch();
    await clock.advance(250);
  }
  assert.ok(heads.length > 0 && heads.every((head) => head === 400n), `${heads}`);
});

test('the sync status is polled again after an outage', async () => {
  const { tracker, feed, clock } = createTracker({ syncs: true });
  tracker.start();
  await clock.advance(1_000);
  feed.fault = new UpstreamFault('unreachable', 'scripted');
  await clock.advance(5_000);
  feed.fault = undefined;
  feed.sync = { target: 500n };
  const { length } = feed.timesOf('latest');
  while (feed.timesOf('latest').length === length) await clock.advance(250);
  assert.equal(tracker.isSyncing, true);
});

test('a node that finished syncing during an outage is followed again', async () => {
  const { tracker, feed, clock } = createTracker({ length: 1, syncs: true });
  feed.sync = { target: 500n };
  tracker.start();
  await clock.advance(1_000);
  assert.equal(tracker.isSyncing, true);
  feed.fault = new UpstreamFault('unreachable', 'scripted');
  await clock.advance(5_000);
  feed.fault = undefined;
  feed.chain = TestChain.create('a', 401);
  feed.sync = undefined;
  await clock.advance(60_000);
  assert.deepEqual([tracker.latest?.number, tracker.isSyncing], [400n, false]);
  feed.chain.grow('a', 1);
  await clock.advance(60_000);
  assert.equal(tracker.latest?.number, 401n);
});

test('a jump of the head resets safe and finalized until they are polled again', async () => {
  const { tracker, feed, clock } = createTracker({ length: 20 });
  feed.safe = 10;
  feed.finalized = 5;
  tracker.start();
  await clock.advance(1_000);
  assert.deepEqual([tracker.safe?.number, tracker.finalized?.number, tracker.hasMarks], [10n, 5n, true]);
  feed.chain.grow('a', 100);
  feed.safe = 110;
  feed.finalized = 105;
  feed.hold();
  await clock.advance(2_000);
  feed.release();
  await complete();
  assert.ok(tracker.finalized === undefined || tracker.finalized.number === 105n);
  await clock.advance(2_000);
  assert.deepEqual([tracker.safe?.number, tracker.finalized?.number, tracker.hasMarks], [110n, 105n, true]);
});

test('showBlock reads a block far below the head, once per head', async () => {
  const { tracker, feed } = createTracker();
  tracker.start();
  await complete();
  assert.deepEqual([tracker.hashAt(50n), tracker.hasShown(50n)], [undefined, false]);
  await tracker.showBlock(50n);
  assert.deepEqual([tracker.hashAt(50n), tracker.hasShown(50n)], [hashOf('a', 50n), true]);
  const requested = feed.requested.length;
  await tracker.showBlock(50n);
  assert.equal(feed.requested.length, requested, 'once for each head');
  assertOneChain(tracker);
});

test('showBlock stores nothing if the parent of the head is missing, and marks the block as shown', async () => {
  const { tracker, feed } = createTracker();
  feed.chain = new TestChain([makeBlock('x', 5_000n)]);
  tracker.start();
  await complete();
  await tracker.showBlock(50n);
  assert.deepEqual([tracker.headerAt(4_999n), tracker.hasShown(50n)], [undefined, true]);
});
