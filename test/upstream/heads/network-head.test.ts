import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockHeader } from '../../../src/upstream/heads/block.ts';
import { WINDOW_BLOCKS } from '../../../src/upstream/heads/block-window.ts';
import type { Share } from '../../../src/upstream/heads/choose-head.ts';
import { HeadTracker } from '../../../src/upstream/heads/head-tracker.ts';
import { type HeadReport, NetworkHead } from '../../../src/upstream/heads/network-head.ts';
import { hashOf, makeBlock, TestChain } from '../../support/block-tree.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';
import { viewChain, viewNothing } from '../../support/head-views.ts';
import { ScriptedFeed } from '../../support/scripted-feed.ts';

const a = TestChain.create('a', 700);
const GIVE_UP_MS = 30_000;

function createHead(share: Share = 'majority') {
  const clock = new FakeClock();
  const orphaned: string[] = [];
  const givenUp: [bigint, bigint][] = [];
  let reports: readonly HeadReport[] = [];
  const head = new NetworkHead({
    share,
    giveUpMs: GIVE_UP_MS,
    clock,
    reports: () => reports,
    onOrphaned: (hashes) => orphaned.push(...hashes),
    onGivenUp: (from, to) => givenUp.push([from.number, to.number]),
  });
  const report = (...now: readonly HeadReport[]): BlockHeader | undefined => {
    reports = now;
    head.update();
    return head.head;
  };
  return { clock, head, report, orphaned, givenUp };
}

const at = (...tips: readonly number[]): HeadReport[] => tips.map((tip) => viewChain(a, tip));
const hashes = (branch: string, from: number, to: number): string[] =>
  Array.from({ length: from - to + 1 }, (_, i) => hashOf(branch, BigInt(from - i)));

test('there is no head before the share has one', async () => {
  const { head, report } = createHead();
  let isKnown = false;
  const known = head.whenKnown().then(() => {
    isKnown = true;
  });
  assert.equal(report(), undefined);
  assert.equal(report(viewNothing(), ...at(100), viewNothing()), undefined);
  await settle();
  assert.equal(isKnown, false);
  assert.equal(report(viewNothing(), ...at(100, 99)), a.at(99));
  await known;
  assert.equal(isKnown, true);
});

test('rule 1: the highest block that the share has', () => {
  const { report } = createHead();
  assert.equal(report(...at(100, 99, 98)), a.at(99));
  assert.equal(report(...at(100, 100, 98)), a.at(100));
  assert.equal(report(...at(105, 103, 100)), a.at(103));
});

test('rule 1: a lone healthy upstream is its own majority', () => {
  const { report } = createHead();
  assert.equal(report(...at(100)), a.at(100));
  assert.equal(report(...at(101)), a.at(101));
});

test('rule 2: upstreams that lag, leave, come or jump back do not take the head back', () => {
  const { report, orphaned, givenUp } = createHead();
  report(...at(100, 100, 99));
  for (const now of [
    at(100, 99, 99),
    at(90, 90, 90),
    at(99),
    [],
    at(0, 0, 0),
    [viewNothing()],
    at(50, 100),
  ]) {
    assert.equal(report(...now), a.at(100));
  }
  assert.deepEqual([orphaned, givenUp], [[], []]);
});

test('rule 2: a minority on another branch does not', () => {
  const { report, orphaned } = createHead();
  const b = a.fork('b', 98, 10);
  report(...at(100, 100, 100));
  assert.equal(report(viewChain(b, 108), ...at(100, 100)), a.at(100));
  assert.equal(report(viewChain(b, 100), ...at(99, 99)), a.at(100));
  assert.equal(
    report(viewChain(b, 100), viewChain(b, 100), ...at(100, 100)),
    a.at(100),
    'half is no majority',
  );
  assert.deepEqual(orphaned, []);
});

test('rule 2: three ways to disagree prove nothing', () => {
  const { report } = createHead();
  report(...at(100, 100, 100));
  const [b, c] = [a.fork('b', 98, 2), a.fork('c', 98, 2)];
  assert.equal(report(viewChain(b, 100), viewChain(c, 100), ...at(100)), a.at(100));
});

test('a reorg to a higher block', () => {
  const { head, report, orphaned } = createHead();
  const b = a.fork('b', 97, 10);
  report(...at(100, 100, 100));
  assert.equal(report(viewChain(b, 101), viewChain(b, 102), ...at(100)), b.at(101));
  assert.deepEqual(orphaned, hashes('a', 100, 98));
  for (let number = 98; number <= 101; number++) {
    assert.equal(head.hashAt(BigInt(number)), hashOf('b', BigInt(number)));
  }
  assert.equal(head.hashAt(97n), hashOf('a', 97n));
});

test('a reorg at the same height and to a lower one', () => {
  for (const length of [3, 2, 1]) {
    const { head, report, orphaned } = createHead();
    const b = a.fork('b', 97, length);
    report(...at(100, 100, 100));
    assert.equal(report(viewChain(b, 97 + length), viewChain(b, 97 + length), ...at(100)), b.tip);
    assert.deepEqual(orphaned, hashes('a', 100, 98));
    assert.equal(head.hashAt(BigInt(98 + length)), undefined);
  }
});

test('a reorg on which the new branches do not agree yet goes back to where they part', () => {
  const { report, orphaned } = createHead();
  const b = a.fork('b', 98, 1);
  const [c, d] = [b.fork('c', 99, 1), b.fork('d', 99, 1)];
  report(...at(100, 100, 100));
  assert.equal(report(viewChain(c, 100), viewChain(d, 100), ...at(100)), b.at(99));
  assert.deepEqual(orphaned, hashes('a', 100, 99));
});

test('a reorg in a jump ahead', () => {
  const { report, orphaned, head } = createHead();
  const b = a.fork('b', 97, 100);
  report(...at(100, 100));
  assert.equal(report(viewChain(b, 190), viewChain(b, 190)), b.at(190));
  assert.deepEqual(orphaned, hashes('a', 100, 98));
  assert.equal(head.hashAt(150n), hashOf('b', 150n));
});

test('blocks that cannot be vouched for after a proven reorg leave too', () => {
  const { report, orphaned, head } = createHead();
  const b = a.fork('b', 97, 10);
  report(viewChain(a, 100, 5));
  assert.equal(report(viewChain(b, 105, 2)), b.at(105));
  assert.deepEqual(orphaned, [], 'nothing is known of where block 100 went');
  assert.equal(head.hashAt(100n), undefined, 'nor vouched for');
  assert.equal(report(viewChain(b, 106, 7)), b.at(106));
  assert.equal(head.hashAt(100n), hashOf('b', 100n));
  const other = createHead();
  other.report(viewChain(a, 100, 5));
  assert.equal(other.report(viewChain(b, 101, 1)), b.at(101));
  assert.deepEqual(other.orphaned, hashes('a', 100, 95));
});

test('what upstreams tell later of the blocks below the head is taken in', () => {
  const { report, head } = createHead();
  report(viewChain(a, 100, 1));
  assert.equal(head.hashAt(98n), undefined);
  assert.equal(head.headerAt(99n), undefined);
  report(viewChain(a, 100, 9));
  assert.equal(head.hashAt(91n), hashOf('a', 91n));
  assert.equal(head.headerAt(99n), a.at(99));
});

test('hashes of blocks in between come from those who know them, or stay unknown', () => {
  const { report, head } = createHead();
  report(...at(100, 100, 100));
  report(viewChain(a, 105, 1), viewChain(a, 105, 300));
  for (let number = 90n; number <= 105n; number++) assert.equal(head.hashAt(number), hashOf('a', number));
  assert.equal(head.headerAt(103n), a.at(103));
  const gap = viewChain(a, 110);
  const isGap = (number: bigint): boolean => number > 105n && number < 109n;
  report({ ...gap, hashAt: (number) => (isGap(number) ? undefined : gap.hashAt(number)) });
  assert.equal(head.hashAt(109n), hashOf('a', 109n));
  assert.equal(head.hashAt(107n), undefined);
  assert.equal(head.hashAt(105n), hashOf('a', 105n));
});

test('the window is bounded', () => {
  const { report, head } = createHead();
  for (let tip = 100; tip < 700; tip++) report(viewChain(a, tip, 3));
  const oldest = 700n - BigInt(WINDOW_BLOCKS);
  assert.equal(head.hashAt(oldest), hashOf('a', oldest));
  assert.equal(head.hashAt(oldest - 1n), undefined);
});

test('rule 3: a head that nobody has had for long enough is given up', () => {
  const { clock, report, head, orphaned, givenUp } = createHead();
  report(...at(100, 100, 100));
  report(...at(96, 95, 90));
  clock.advanceNow(GIVE_UP_MS - 1);
  assert.equal(head.head, a.at(100));
  clock.advanceNow(1);
  assert.equal(head.head, a.at(95));
  assert.deepEqual(givenUp, [[100n, 95n]]);
  assert.deepEqual(orphaned, hashes('a', 100, 96));
  assert.equal(report(...at(96, 96, 90)), a.at(96));
  assert.equal(clock.pending, 0);
});

test('rule 3: the time begins anew whenever one upstream has it', () => {
  const { clock, report, head, givenUp } = createHead();
  report(...at(100, 100, 100));
  for (let round = 0; round < 5; round++) {
    report(...at(96, 96, 96));
    clock.advanceNow(GIVE_UP_MS - 1);
    report(...at(96, 96, 100));
    clock.advanceNow(GIVE_UP_MS - 1);
  }
  assert.equal(head.head, a.at(100));
  assert.deepEqual(givenUp, []);
});

test('rule 3: while nobody is healthy, nothing is given up', () => {
  const { clock, report, head } = createHead();
  report(...at(100, 100));
  report(...at(90));
  clock.advanceNow(GIVE_UP_MS - 1);
  report();
  clock.advanceNow(10 * GIVE_UP_MS);
  report(viewNothing());
  clock.advanceNow(10 * GIVE_UP_MS);
  assert.equal(head.head, a.at(100));
  report(...at(90));
  clock.advanceNow(GIVE_UP_MS - 1);
  assert.equal(head.head, a.at(100));
});

test('rule 3: to a chain of which nothing is known, everything leaves', () => {
  const { clock, report, head, orphaned } = createHead();
  report(viewChain(a, 100, 3));
  const restarted = viewChain(TestChain.create('z', 11), 10);
  assert.equal(report(restarted), a.at(100));
  clock.advanceNow(GIVE_UP_MS);
  assert.equal(head.head?.hash, hashOf('z', 10n));
  assert.deepEqual(orphaned, hashes('a', 100, 97));
});

test('rule 3: one upstream alone cannot hold an absurd head for ever', () => {
  const { clock, report, head, givenUp } = createHead();
  const absurd = new TestChain([makeBlock('x', 2n ** 60n)]);
  report(...at(100, 100, 100));
  assert.equal(report(viewChain(absurd, 0)), absurd.tip, 'it is its own majority');
  report(viewChain(absurd, 0), ...at(101, 101));
  clock.advanceNow(10 * GIVE_UP_MS - 1);
  assert.equal(head.head, absurd.tip);
  clock.advanceNow(1);
  assert.equal(head.head, a.at(101));
  assert.deepEqual(givenUp, [[2n ** 60n, 101n]]);
  assert.equal(head.hashAt(100n), hashOf('a', 100n));
  assert.equal(report(viewChain(absurd, 0), ...at(102, 102)), a.at(102));
});

test('rule 3: half of the upstreams hold it as long as they like', () => {
  const { clock, report, head } = createHead();
  report(...at(100, 100));
  report(...at(100, 90));
  clock.advanceNow(100 * GIVE_UP_MS);
  assert.equal(head.head, a.at(100));
  const low = createHead(0.1);
  low.report(...at(100, 90, 90, 90));
  low.clock.advanceNow(100 * GIVE_UP_MS);
  assert.equal(low.head.head, a.at(100), 'and so does the share');
  assert.deepEqual(low.givenUp, []);
});

test('stopping ends the waiting', () => {
  const { clock, report, head } = createHead();
  report(...at(100, 100));
  report(...at(90, 90));
  head.stop();
  assert.equal(clock.pending, 0);
});

test('safe and finalized: the highest that the share of those who tell one has, never back', () => {
  const { head, report } = createHead();
  const marks = (safe: number, finalized: number) => viewChain(a, 100, 300, { safe, finalized });
  const numbers = () => [head.safe?.number, head.finalized?.number];
  report(...at(100, 100));
  assert.deepEqual(numbers(), [undefined, undefined]);
  report(marks(90, 80), marks(92, 79), marks(85, 50));
  assert.deepEqual(numbers(), [90n, 79n]);
  report(marks(80, 50), marks(80, 50), marks(80, 50));
  assert.deepEqual(numbers(), [90n, 79n]);
  report(marks(93, 83), ...at(100, 100));
  assert.deepEqual(numbers(), [93n, 83n], 'who does not know the tag does not count');
  report(...at(100, 100));
  assert.deepEqual(numbers(), [93n, 83n]);
});

test('safe and finalized are never above the head, nor off its chain', () => {
  const { head, report } = createHead();
  const ahead = (tip: number, mark: number) => viewChain(a, tip, 300, { safe: mark, finalized: mark });
  report(ahead(200, 190), ...at(100, 100));
  assert.equal(head.head, a.at(100));
  assert.equal(head.safe, a.at(100));
  const b = a.fork('b', 98, 10);
  const astray: HeadReport = { ...viewChain(a, 101), safe: b.at(101), finalized: b.at(100) };
  const other = createHead();
  other.report(astray, astray);
  assert.equal(other.head.head, a.at(101));
  assert.deepEqual([other.head.safe, other.head.finalized], [undefined, undefined]);
});

test('a reorg takes along the safe block that it left, and no other', () => {
  const { head, report } = createHead();
  const b = a.fork('b', 95, 20);
  report(viewChain(a, 100, 300, { safe: 98, finalized: 90 }));
  report(viewChain(b, 110, 300, { safe: 94, finalized: 80 }));
  assert.deepEqual([head.safe, head.finalized], [b.at(94), a.at(90)]);
  report(viewChain(b, 110, 300, { safe: 98, finalized: 96 }));
  assert.deepEqual([head.safe, head.finalized], [b.at(98), b.at(96)]);
});

test('with trackers: a reorg of three upstreams, one after the other', async () => {
  const clock = new FakeClock();
  const orphaned: string[] = [];
  const served: BlockHeader[] = [];
  const feeds = [1, 2, 3].map(() => new ScriptedFeed(clock, a.fork('a', 94, 6), { announces: true }));
  const trackers: HeadTracker[] = feeds.map(
    (feed) =>
      new HeadTracker(feed, {
        pollInterval: { min: 250, max: 6_000 },
        clock,
        onChange: () => {
          network.update();
          if (network.head !== undefined) served.push(network.head);
        },
      }),
  );
  const network = new NetworkHead({
    share: 'majority',
    giveUpMs: GIVE_UP_MS,
    reports: () => trackers,
    onOrphaned: (left) => orphaned.push(...left),
    onGivenUp: () => assert.fail('no reason to give up'),
    clock,
  });
  for (const tracker of trackers) tracker.start();
  await network.whenKnown();
  await settle();
  assert.equal(network.head?.hash, hashOf('a', 100n));
  for (const [i, feed] of feeds.entries()) {
    feed.chain = a.fork('b', 97, 4);
    feed.announce();
    await settle();
    assert.equal(network.head?.hash, i === 0 ? hashOf('a', 100n) : hashOf('b', 101n));
  }
  assert.deepEqual(orphaned, hashes('a', 100, 98));
  assert.equal(network.hashAt(98n), hashOf('b', 98n));
  assert.ok(served.every(({ number }, i) => i === 0 || number >= (served[i - 1]?.number ?? 0n)));
  for (const tracker of trackers) tracker.stop();
  network.stop();
  assert.equal(clock.pending, 0);
});
