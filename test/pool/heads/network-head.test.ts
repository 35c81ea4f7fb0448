import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockHeader } from '../../../src/pool/heads/block.ts';
import { WINDOW_BLOCKS } from '../../../src/pool/heads/block-window.ts';
import type { Share } from '../../../src/pool/heads/choose-head.ts';
import type { Candidate, HeadReport, Vote } from '../../../src/pool/heads/electorate.ts';
import { HeadTracker } from '../../../src/pool/heads/head-tracker.ts';
import { NetworkHead } from '../../../src/pool/heads/network-head.ts';
import { hashOf, makeBlock, TestChain } from '../../support/block-tree.ts';
import { complete, FakeClock } from '../../support/fake-clock.ts';
import { makeCandidates, makeHeadOptions, viewChain, viewNothing } from '../../support/head-views.ts';
import { ScriptedFeed } from '../../support/scripted-feed.ts';

const a = TestChain.create('a', 700);
const GIVE_UP_MS = 30_000;
const HEAD_AGE_MS = 60_000;

type Script = { readonly share?: Share; readonly isDevelopment?: boolean };

function createHead({ share = 'majority', isDevelopment = false }: Script = {}) {
  const clock = new FakeClock();
  const orphaned: string[] = [];
  const givenUp: [bigint, bigint][] = [];
  const expiries: boolean[] = [];
  const doubts: [Candidate, bigint][] = [];
  const votes: Vote[] = [];
  const ahead: boolean[] = [];
  let candidates: readonly Candidate[] = [];
  const head = new NetworkHead(
    makeHeadOptions(clock, () => candidates, {
      share,
      isDevelopment,
      giveUpMs: GIVE_UP_MS,
      headAgeMs: HEAD_AGE_MS,
      // Block 100 is as old as the clock.
      wallTime: () => Number(a.at(100).timestamp) * 1_000 + clock.now(),
      onOrphaned: (hashes) => orphaned.push(...hashes),
      onAbandoned: (from, to) => givenUp.push([from.number, to.number]),
      onExpiry: (_, hindrance) => expiries.push(hindrance !== undefined),
      onUnlinked: (candidate, number) => doubts.push([candidate, number]),
      onVote: ({ vote }) => votes.push(vote),
      onAhead: (_, isAhead) => ahead.push(isAhead),
    }),
  );
  const see = (...now: readonly Candidate[]): BlockHeader | undefined => {
    candidates = now;
    head.update();
    return head.head;
  };
  const report = (...now: readonly HeadReport[]): BlockHeader | undefined => see(...makeCandidates(now));
  return { clock, head, report, see, orphaned, givenUp, expiries, doubts, votes, ahead };
}

const at = (...tips: readonly number[]): HeadReport[] => tips.map((tip) => viewChain(a, tip));
const hashes = (branch: string, from: number, to: number): string[] =>
  Array.from({ length: from - to + 1 }, (_, i) => hashOf(branch, BigInt(from - i)));

test('there is no head before the share of nodes has one', async () => {
  const { head, report } = createHead();
  let isKnown = false;
  const known = head.whenKnown().then(() => {
    isKnown = true;
  });
  assert.equal(report(), undefined);
  assert.equal(report(viewNothing(), ...at(100), viewNothing()), undefined);
  await complete();
  assert.equal(isKnown, false);
  assert.equal(report(viewNothing(), ...at(100, 99)), a.at(99));
  await known;
  assert.equal(isKnown, true);
});

test('rule 1: the head is the highest block that the share has', () => {
  const { report } = createHead();
  assert.equal(report(...at(100, 99, 98)), a.at(99));
  assert.equal(report(...at(100, 100, 98)), a.at(100));
  assert.equal(report(...at(105, 103, 100)), a.at(103));
});

test('rule 1: a single healthy node is a majority', () => {
  const { report } = createHead();
  assert.equal(report(...at(100)), a.at(100));
  assert.equal(report(...at(101)), a.at(101));
});

test('rule 2: nodes that lag, leave, join or jump back do not lower the head', () => {
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

test('rule 2: a minority on another branch does not move the head', () => {
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

test('rule 2: three nodes on three branches do not move the head', () => {
  const { report } = createHead();
  report(...at(100, 100, 100));
  const [b, c] = [a.fork('b', 98, 2), a.fork('c', 98, 2)];
  assert.equal(report(viewChain(b, 100), viewChain(c, 100), ...at(100)), a.at(100));
});

test('a reorg to a higher block moves the head', () => {
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

test('reorgs to the same height and to lower heights move the head', () => {
  for (const length of [3, 2, 1]) {
    const { head, report, orphaned } = createHead();
    const b = a.fork('b', 97, length);
    report(...at(100, 100, 100));
    assert.equal(report(viewChain(b, 97 + length), viewChain(b, 97 + length), ...at(100)), b.tip);
    assert.deepEqual(orphaned, hashes('a', 100, 98));
    assert.equal(head.hashAt(BigInt(98 + length)), undefined);
  }
});

test('a reorg to branches that disagree moves the head to their fork point', () => {
  const { report, orphaned } = createHead();
  const b = a.fork('b', 98, 1);
  const [c, d] = [b.fork('c', 99, 1), b.fork('d', 99, 1)];
  report(...at(100, 100, 100));
  assert.equal(report(viewChain(c, 100), viewChain(d, 100), ...at(100)), b.at(99));
  assert.deepEqual(orphaned, hashes('a', 100, 99));
});

test('a reorg within a jump ahead is detected', () => {
  const { report, orphaned, head } = createHead();
  const b = a.fork('b', 97, 100);
  report(...at(100, 100));
  assert.equal(report(viewChain(b, 190), viewChain(b, 190)), b.at(190));
  assert.deepEqual(orphaned, hashes('a', 100, 98));
  assert.equal(head.hashAt(150n), hashOf('b', 150n));
});

test('blocks that no node confirms after a reorg are dropped too', () => {
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

test('hashes below the head that nodes report later are added', () => {
  const { report, head } = createHead();
  report(viewChain(a, 100, 1));
  assert.equal(head.hashAt(98n), undefined);
  assert.equal(head.headerAt(99n), undefined);
  report(viewChain(a, 100, 9));
  assert.equal(head.hashAt(91n), hashOf('a', 91n));
  assert.equal(head.headerAt(99n), a.at(99));
});

test('hashes of skipped blocks come from nodes that know them, or remain unknown', () => {
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

test('the number of stored blocks is bounded', () => {
  const { report, head } = createHead();
  for (let tip = 100; tip < 700; tip++) report(viewChain(a, tip, 3));
  const oldest = 700n - BigInt(WINDOW_BLOCKS);
  assert.equal(head.hashAt(oldest), hashOf('a', oldest));
  assert.equal(head.hashAt(oldest - 1n), undefined);
});

test('rule 2: the head never goes back to a block below it on its own chain, after any time', () => {
  const { clock, report, head, givenUp, orphaned } = createHead();
  report(...at(100, 100, 100));
  for (const now of [at(96, 95, 90), at(40, 40, 40), at(96), at(0, 96, 99)]) {
    report(...now);
    clock.advanceNow(100 * GIVE_UP_MS);
    assert.equal(head.head, a.at(100));
  }
  assert.deepEqual([givenUp, orphaned], [[], []]);
});

/** A chain unrelated to `a`, whose timestamps are later by this many seconds. */
const makeLater = (length: number, seconds: bigint): TestChain =>
  new TestChain(
    TestChain.create('z', length).blocks.map((block) => ({ ...block, timestamp: block.timestamp + seconds })),
  );

test('rule 2: a head that all nodes have left for a lower but later block is abandoned', () => {
  const { clock, report, head, orphaned, givenUp } = createHead();
  report(viewChain(a, 100, 3));
  const earlier = viewChain(TestChain.create('z', 11), 10);
  report(earlier);
  clock.advanceNow(2 * GIVE_UP_MS);
  assert.equal(head.head, a.at(100), 'it may be an ancestor');
  const later = viewChain(makeLater(11, 1_000n), 10);
  assert.equal(report(later)?.hash, hashOf('z', 10n), 'all have been without the head for long enough');
  assert.deepEqual(orphaned, hashes('a', 100, 97));
  assert.deepEqual(givenUp, [[100n, 10n]]);
});

test('rule 2: the time until a head is abandoned restarts whenever a node has the head', () => {
  const { clock, report, head, givenUp } = createHead();
  const later = viewChain(makeLater(11, 1_000n), 10);
  report(viewChain(a, 100, 3));
  for (let round = 0; round < 5; round++) {
    report(later, later);
    clock.advanceNow(GIVE_UP_MS - 1);
    assert.equal(head.head, a.at(100));
    report(later, later, viewChain(a, 100, 3));
  }
  report(later, later);
  clock.advanceNow(GIVE_UP_MS);
  assert.equal(head.head?.hash, hashOf('z', 10n));
  assert.equal(givenUp.length, 1);
});

test('rule 2: no head is abandoned while no node is healthy', () => {
  const { clock, report, head } = createHead();
  const later = viewChain(makeLater(11, 1_000n), 10);
  report(viewChain(a, 100, 3));
  report(later);
  clock.advanceNow(GIVE_UP_MS - 1);
  report();
  clock.advanceNow(10 * GIVE_UP_MS);
  report(viewNothing());
  clock.advanceNow(10 * GIVE_UP_MS);
  assert.equal(head.head, a.at(100));
  report(later);
  clock.advanceNow(GIVE_UP_MS - 1);
  assert.equal(head.head, a.at(100));
});

const absurd = new TestChain([makeBlock('x', 2n ** 60n)]);

test('rule 2: an absurd head of a single node is abandoned', () => {
  const { clock, report, head, givenUp } = createHead();
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

test('rule 2: an absurd head of a node that has left is abandoned with the next block', () => {
  const { clock, report, head } = createHead();
  report(viewChain(absurd, 0));
  report(...at(90, 90));
  clock.advanceNow(20 * GIVE_UP_MS);
  assert.equal(head.head, absurd.tip, 'block 90 is older than it');
  assert.equal(report(...at(101, 101)), a.at(101));
});

test('rule 2: a head that the share or half of the nodes have is not abandoned', () => {
  const { clock, report, head } = createHead();
  report(...at(100, 100));
  report(...at(100, 90));
  clock.advanceNow(100 * GIVE_UP_MS);
  assert.equal(head.head, a.at(100));
  const low = createHead({ share: 0.1 });
  low.report(...at(100, 90, 90, 90));
  low.clock.advanceNow(100 * GIVE_UP_MS);
  assert.equal(low.head.head, a.at(100), 'and so does the share');
  assert.deepEqual(low.givenUp, []);
});

test('rule 3: a head that no healthy node has is served for a bounded time', () => {
  const { clock, report, head, expiries } = createHead();
  report(...at(100, 100));
  clock.advanceNow(10 * HEAD_AGE_MS);
  assert.equal(head.unconfirmedMs, 0, 'nodes may stand still');
  report();
  clock.advanceNow(HEAD_AGE_MS - 1);
  assert.deepEqual([head.isExpired, head.unconfirmedMs], [false, HEAD_AGE_MS - 1]);
  clock.advanceNow(1);
  assert.deepEqual([head.isExpired, head.unconfirmedMs], [true, HEAD_AGE_MS]);
  assert.equal(head.head, a.at(100), 'it is kept');
  report(...at(99, 100));
  assert.deepEqual([head.isExpired, head.unconfirmedMs], [false, 0]);
  assert.deepEqual(expiries, [true, false]);
  assert.equal(clock.pending, 0);
});

test('rule 3: lagging and syncing nodes do not confirm the head', () => {
  const { clock, report, head } = createHead();
  report(...at(100));
  report(...at(20, 20, 0), { ...viewChain(a, 100), isSyncing: true });
  clock.advanceNow(HEAD_AGE_MS);
  assert.equal(head.isExpired, true);
  assert.equal(report(...at(101, 20)), a.at(101));
  assert.equal(head.isExpired, false);
});

test('a development node is followed to lower blocks at once', () => {
  const { report, orphaned, head } = createHead({ isDevelopment: true });
  report(...at(100));
  assert.equal(report(...at(40)), a.at(40));
  assert.deepEqual(orphaned, hashes('a', 100, 41));
  assert.equal(report(viewChain(TestChain.create('z', 3), 2))?.hash, hashOf('z', 2n));
  assert.equal(report(...at(100)), a.at(100));
  head.reset();
  assert.equal(head.head, undefined);
  assert.equal(head.hashAt(50n), undefined);
});

/** Returns the vote of each node after a series of elections. */
function voteOn(script: Script, ...groups: readonly (readonly Candidate[])[]): [Vote[], bigint | undefined] {
  const { see } = createHead(script);
  let served: BlockHeader | undefined;
  for (const group of groups) served = see(...group);
  return [groups.at(-1)?.map(({ vote }) => vote) ?? [], served?.number];
}

test('syncing nodes have no vote, at the start or later, in any number', () => {
  const syncing = makeCandidates([
    { ...viewChain(a, 0), isSyncing: true },
    { ...viewChain(a, 60), isSyncing: true },
  ]);
  const good = makeCandidates(at(100));
  assert.deepEqual(voteOn({}, [...syncing, ...good]), [['syncing', 'syncing', 'votes'], 100n]);
  assert.deepEqual(voteOn({}, good, [...good, ...syncing]), [['votes', 'syncing', 'syncing'], 100n]);
  assert.deepEqual(voteOn({}, syncing), [['syncing', 'syncing'], undefined], 'nor do they alone');
  assert.deepEqual(voteOn({}, good, syncing), [['syncing', 'syncing'], 100n]);
});

test('nodes far behind a healthy node have no vote, at the start or later, in any number', () => {
  const [low, lower, good] = makeCandidates(at(54, 0, 100)) as [Candidate, Candidate, Candidate];
  // The first blocks of a tree's chain are in every view, which shows that the view is on the chain.
  assert.deepEqual(voteOn({}, [low, good]), [['lagging', 'votes'], 100n]);
  assert.deepEqual(voteOn({}, [low, lower, good]), [['lagging', 'lagging', 'votes'], 100n]);
  assert.deepEqual(voteOn({}, [good], [low, lower, good]), [['lagging', 'lagging', 'votes'], 100n]);
  assert.deepEqual(voteOn({}, [low, lower], [low, lower, good]), [['lagging', 'lagging', 'votes'], 100n]);
  assert.deepEqual(voteOn({}, [good], [low]), [['lagging'], 100n], 'nor behind what was served');
});

test('a node is far behind by both blocks and time, and has caught up at half of both', () => {
  const votesAt = (...tips: number[]): Vote[] => voteOn({}, makeCandidates(at(...tips)))[0];
  // Blocks are 2 s apart: 30 s are 15 blocks.
  assert.deepEqual(votesAt(200, 185), ['votes', 'votes']);
  assert.deepEqual(votesAt(100, 85), ['votes', 'votes']);
  assert.deepEqual(votesAt(100, 84), ['votes', 'lagging']);
  const scene = createHead();
  const node = makeCandidates(at(84))[0] as Candidate;
  const good = makeCandidates(at(100));
  const voteAt = (tip: number): Vote => {
    const now: Candidate = Object.assign(node, { tracker: viewChain(a, tip) });
    scene.see(...good, now);
    return now.vote;
  };
  assert.deepEqual([84, 88, 92, 93, 85, 84].map(voteAt), [
    'lagging',
    'lagging',
    'lagging',
    'votes',
    'votes',
    'lagging',
  ]);
});

test('lower tiers have no vote while a better tier is healthy', () => {
  const reserve = makeCandidates(at(60, 99), 2);
  const good = makeCandidates(at(100));
  const stuck = makeCandidates(at(30));
  assert.deepEqual(voteOn({}, [...reserve, ...good]), [['lagging', 'lowerTier', 'votes'], 100n]);
  assert.deepEqual(voteOn({}, makeCandidates(at(99, 100), 2)), [['votes', 'votes'], 99n]);
  assert.deepEqual(voteOn({}, [...makeCandidates(at(100), 2), ...stuck]), [['votes', 'lagging'], 100n]);
});

test('a reserve has no vote while another node of any tier has one, and decides the head alone if none has', () => {
  const reserve = makeCandidates(at(110, 110, 110)).map((node) => ({ ...node, isReserve: true }));
  const free = makeCandidates(at(104), 100);
  const stuck = makeCandidates(at(30));
  const none = ['lowerTier', 'lowerTier', 'lowerTier'];
  assert.deepEqual(voteOn({}, [...reserve, ...free]), [[...none, 'votes'], 104n]);
  assert.deepEqual(voteOn({}, [...reserve, ...stuck]), [['votes', 'votes', 'votes', 'lagging'], 110n]);
  assert.deepEqual(voteOn({}, reserve), [['votes', 'votes', 'votes'], 110n]);
});

test('a node that only claims to be far ahead makes no other node lag, whatever its timestamp', () => {
  const claim = { ...makeBlock('x', 100_000n), timestamp: a.at(100).timestamp };
  const liar = makeCandidates([viewChain(new TestChain([claim]), 0)]);
  const good = makeCandidates(at(54, 54));
  assert.deepEqual(voteOn({}, [...liar, ...good]), [['votes', 'votes', 'votes'], 54n]);
  assert.deepEqual(voteOn({}, good, [...liar, ...good]), [['votes', 'votes', 'votes'], 54n]);
});

test('a node far ahead with a shown chain makes no node with recent blocks lag', () => {
  const b = a.fork('b', 98, 200);
  assert.deepEqual(
    voteOn({}, makeCandidates(at(98, 98)), makeCandidates([...at(98, 98), viewChain(b, 298)])),
    [['votes', 'votes', 'votes'], 98n],
  );
});

/** Time without a block, seconds. */
const IDLE = 120;

/** A node that forges `length` recent blocks on top of block `last`. */
function forge(last: number, length: number): HeadReport {
  const now = a.at(100).timestamp + BigInt(IDLE);
  const { blocks } = a.fork('!', last, length);
  const chain = blocks.map((block, i) => (i > last ? { ...block, timestamp: now } : block));
  return viewChain(new TestChain(chain), last + length);
}

function createIdle(script: Script = {}) {
  const scene = createHead(script);
  scene.clock.advanceNow(IDLE * 1_000);
  return scene;
}

test('on an idle chain, a minority with forged recent blocks takes neither the head nor a vote', () => {
  for (const [honest, liars] of [
    [4, 1],
    [3, 2],
    [2, 1],
  ] as const) {
    for (const isStart of [true, false]) {
      const { see, ahead } = createIdle();
      const good = makeCandidates(Array.from({ length: honest }, () => viewChain(a, 100)));
      const bad = makeCandidates(Array.from({ length: liars }, () => forge(100, 15)));
      if (!isStart) see(...good, ...makeCandidates(at(100)));
      assert.equal(see(...good, ...bad), a.at(100));
      assert.deepEqual(new Set([...good, ...bad].map(({ vote }) => vote)), new Set(['votes']));
      assert.deepEqual(
        ahead,
        bad.map(() => true),
      );
      const moved = makeCandidates(Array.from({ length: honest }, () => viewChain(a, 102)));
      assert.equal(see(...moved, ...bad), a.at(102), 'blocks that are old when they come');
    }
  }
});

test('on an idle chain, forged blocks do not move the head even if honest nodes are apart or the lead is small', () => {
  const { see, report } = createIdle();
  report(...at(100, 100, 100));
  for (const length of [1, 8, 9, 15, 40]) {
    assert.equal(see(...makeCandidates([...at(95, 96), forge(100, length)])), a.at(100));
  }
  const [b, c] = [a.fork('b', 98, 1), a.fork('c', 98, 2)];
  assert.equal(report(viewChain(b, 99), viewChain(c, 100), ...at(100), forge(100, 15)), a.at(100));
});

test('on an idle chain, any number of lower-tier nodes with forged blocks do not move the head', () => {
  const { see } = createIdle();
  const good = makeCandidates(at(100, 100, 100));
  assert.equal(see(...good, ...makeCandidates([forge(100, 15), forge(100, 15)], 2)), a.at(100));
});

test('a stuck majority at the served head keeps it until half of the nodes are ahead or the majority reports syncing', () => {
  const { see, report, ahead, head } = createIdle();
  report(...at(100, 100, 100));
  const [stuck, good] = [makeCandidates(at(100, 100)), makeCandidates(at(150))];
  assert.equal(see(...stuck, ...good), a.at(100));
  assert.deepEqual([ahead, head.unconfirmedMs], [[true], 0]);
  assert.equal(see(...stuck, ...makeCandidates(at(150, 150))), a.at(150));
  assert.deepEqual(ahead, [true, false]);
  assert.deepEqual(
    [...stuck].map(({ vote }) => vote),
    ['lagging', 'lagging'],
  );
  const other = createIdle();
  other.report(...at(100, 100, 100));
  const syncing = at(100, 100).map((report) => ({ ...report, isSyncing: true }));
  assert.equal(other.report(...syncing, ...at(150)), a.at(150));
  const third = createIdle({ share: 1 / 3 });
  third.report(...at(100, 100, 100));
  assert.equal(third.report(...at(100, 100, 150)), a.at(150), 'a smaller share prefers what is new');
});

test('the node ahead decides between two nodes, and best-tier nodes ahead decide against any number of lower tiers', () => {
  const { report, votes } = createIdle();
  report(...at(100, 100));
  assert.equal(report(...at(100, 269)), a.at(269));
  assert.deepEqual(votes, ['lagging']);
  const reserve = makeCandidates(at(100, 100, 100), 2);
  assert.deepEqual(voteOn({}, [...reserve, ...makeCandidates(at(150))])[1], 150n);
});

test('a majority that was not at the served head does not hold back a node ahead', () => {
  assert.deepEqual(voteOn({}, makeCandidates(at(100)), makeCandidates(at(54, 54, 150)))[1], 150n);
});

test('at the start, a majority at different blocks lags behind a node ahead, in any order of their reports', () => {
  const { report, head } = createIdle();
  const waiting = { ...viewNothing(), isExpected: true };
  assert.equal(report(...at(50, 54), waiting), undefined);
  assert.equal(head.isUndecided, true);
  assert.equal(report(...at(50, 54, 100)), a.at(100));
  const other = createIdle();
  other.report(...at(50, 54), waiting);
  other.clock.advanceNow(5_000);
  assert.equal(other.head.head, a.at(50), 'nor does it wait for ever');
  assert.equal(
    createIdle().report(...at(54, 54, 100)),
    a.at(54),
    'one block of a majority may be an idle chain',
  );
  assert.equal(
    createIdle().report(...at(0, 0, 100)),
    a.at(100),
    'but block 0 is what every node begins with',
  );
});

test('the first head waits until a node far ahead has shown that its chain includes the lower heads', () => {
  const { see, doubts, head } = createHead();
  const good = makeCandidates([{ ...viewChain(a, 100, 3), hasShown: () => false }]);
  const low = makeCandidates(at(54));
  assert.equal(see(...low, ...good), undefined);
  assert.equal(head.isUndecided, true);
  assert.deepEqual(doubts, [[good[0], 54n]]);
  assert.equal(see(...low, ...makeCandidates([viewChain(a, 100)])), a.at(100));
  assert.equal(head.isUndecided, false);
});

test('the first head does not wait for an unshown chain beyond a time limit', () => {
  const { see, clock, head } = createHead();
  const low = makeCandidates(at(54, 54));
  see(...low, ...makeCandidates([{ ...viewChain(a, 100, 3), hasShown: () => false }]));
  clock.advanceNow(5_000);
  assert.equal(head.head, a.at(54));
});

test('stop cancels all timers', () => {
  const { clock, report, head } = createHead();
  report(...at(100, 100));
  report(...at(90, 90));
  assert.notEqual(clock.pending, 0);
  head.stop();
  assert.equal(clock.pending, 0);
});

test('safe and finalized are the highest blocks that the share of the nodes with such tags has, and never go back', () => {
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
  assert.deepEqual(numbers(), [93n, 83n], 'a node without the tag does not count');
  report(...at(100, 100));
  assert.deepEqual(numbers(), [93n, 83n]);
});

test('safe and finalized are never above the head, nor on another chain', () => {
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

test('a reorg replaces an orphaned safe block, and no other', () => {
  const { head, report } = createHead();
  const b = a.fork('b', 95, 20);
  report(viewChain(a, 100, 300, { safe: 98, finalized: 90 }));
  report(viewChain(b, 110, 300, { safe: 94, finalized: 80 }));
  assert.deepEqual([head.safe, head.finalized], [b.at(94), a.at(90)]);
  report(viewChain(b, 110, 300, { safe: 98, finalized: 96 }));
  assert.deepEqual([head.safe, head.finalized], [b.at(98), b.at(96)]);
});

test('a reorg of three tracked nodes, one after the other, moves the head once', async () => {
  const clock = new FakeClock();
  const orphaned: string[] = [];
  const served: BlockHeader[] = [];
  const feeds = [1, 2, 3].map(() => new ScriptedFeed(clock, a.fork('a', 94, 6), { announces: true }));
  const trackers: HeadTracker[] = feeds.map(
    (feed) =>
      new HeadTracker(feed, {
        isAwaited: () => false,
        pollInterval: { min: 250, max: 6_000 },
        syncTolerance: 8,
        clock,
        onChange: () => {
          network.update();
          if (network.head !== undefined) served.push(network.head);
        },
      }),
  );
  const network = new NetworkHead(
    makeHeadOptions(clock, () => makeCandidates(trackers), {
      onOrphaned: (left) => orphaned.push(...left),
      onAbandoned: () => assert.fail('no reason to give up'),
    }),
  );
  for (const tracker of trackers) tracker.start();
  await network.whenKnown();
  await complete();
  assert.equal(network.head?.hash, hashOf('a', 100n));
  for (const [i, feed] of feeds.entries()) {
    feed.chain = a.fork('b', 97, 4);
    feed.announce();
    await complete();
    assert.equal(network.head?.hash, i === 0 ? hashOf('a', 100n) : hashOf('b', 101n));
  }
  assert.deepEqual(orphaned, hashes('a', 100, 98));
  assert.equal(network.hashAt(98n), hashOf('b', 98n));
  assert.ok(served.every(({ number }, i) => i === 0 || number >= (served[i - 1]?.number ?? 0n)));
  for (const tracker of trackers) tracker.stop();
  network.stop();
  assert.equal(clock.pending, 0);
});

test('a change of the served block is reported once, in a consistent state', async () => {
  const clock = new FakeClock();
  const chain = TestChain.create('a', 12);
  const reports = [5, 5, 5].map((tip) => viewChain(chain, tip));
  const reported: (bigint | undefined)[] = [];
  let isAlive = true;
  const head: NetworkHead = new NetworkHead(
    makeHeadOptions(clock, () => (isAlive ? makeCandidates(reports) : []), {
      headAgeMs: 60_000,
      onServed: () => {
        reported.push(head.served?.number);
        assert.equal(head.hashAt(head.served?.number ?? -1n), head.served?.hash);
      },
    }),
  );
  head.update();
  head.update();
  assert.deepEqual(reported, [5n]);
  reports[0] = viewChain(chain, 6);
  head.update();
  assert.deepEqual(reported, [5n], 'one of three has it');
  reports[1] = viewChain(chain, 6);
  head.update();
  head.update();
  assert.deepEqual(reported, [5n, 6n]);
  const fork = chain.fork('b', 4, 4);
  reports.splice(0, 3, ...[8, 8, 8].map((tip) => viewChain(fork, tip)));
  head.update();
  assert.deepEqual(reported, [5n, 6n, 8n], 'a reorg is one change');
  assert.equal(head.numberOf(fork.at(8).hash), 8n);
  assert.equal(head.numberOf(chain.at(6).hash), undefined);
  isAlive = false;
  head.update();
  await clock.advance(61_000);
  assert.deepEqual(reported.slice(3), [undefined], 'no node has had it for too long');
  isAlive = true;
  head.update();
  assert.deepEqual(reported.slice(4), [8n]);
  head.reset();
  assert.deepEqual(reported.slice(5), [undefined]);
  head.update();
  assert.deepEqual(reported.slice(6), [8n]);
});
