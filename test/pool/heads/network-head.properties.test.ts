import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { BlockHeader } from '../../../src/pool/heads/block.ts';
import { countShare, hasBlock } from '../../../src/pool/heads/choose-head.ts';
import type { Candidate, HeadReport } from '../../../src/pool/heads/electorate.ts';
import { NetworkHead } from '../../../src/pool/heads/network-head.ts';
import { makeBlock, TestChain } from '../../support/block-tree.ts';
import { countRuns } from '../../support/count-runs.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { makeHeadOptions, setVote, viewChain, viewNothing } from '../../support/head-views.ts';

const GIVE_UP_MS = 1_000;
/** Number of blocks below the head that are compared with the tree; longer than any chain here. */
const ALL = 256;

type Lie = 'zero' | 'absurd' | 'nothing' | 'honest' | Forgery;
/** Forged blocks on top of the chain, with timestamps at the chain's interval or of the present. */
type Forgery = { readonly forkDepth: number; readonly length: number; readonly isFresh: boolean };
type Step =
  | { readonly kind: 'grow'; readonly blocks: number }
  | { readonly kind: 'reorg'; readonly depth: number; readonly blocks: number }
  | { readonly kind: 'sync'; readonly index: number; readonly lag: number }
  | { readonly kind: 'lie'; readonly index: number; readonly lie: Lie }
  | { readonly kind: 'claim'; readonly index: number; readonly isSyncing: boolean }
  | { readonly kind: 'toggle'; readonly index: number }
  | { readonly kind: 'restart' }
  | { readonly kind: 'wait'; readonly ms: number };

type Upstream = Candidate & {
  tracker: HeadReport;
  isHealthy: boolean;
  /** Reported sync status, true or not. */
  isSyncing: boolean;
  readonly isBad: boolean;
};

/** Maximum number of blocks by which a reorg may lower the chain of most nodes. */
const MAX_LOSS = 4;
const MAX_LAG_BLOCKS = 8;
const MAX_LAG_MS = 30_000;
/** Distance at which nodes keep their votes, and one far beyond, blocks. */
const NEAR = 10;
const FAR = 70;

type ModelScript = {
  /** Tier of each good upstream. */
  readonly tiers: readonly number[];
  readonly bad?: number;
  /** Number of blocks that each upstream knows of its chain. */
  readonly depth: number;
};

/** Served head and all known hashes below it at one time. */
type Served = { readonly head: BlockHeader | undefined; readonly hashes: ReadonlyMap<bigint, string> };

/** A network of nodes over a tree of blocks; checks each change of the network head. */
class Model {
  readonly #clock = new FakeClock();
  readonly #upstreams: Upstream[];
  readonly #depth: number;
  readonly #blocks = new Map<string, BlockHeader>();
  #network: NetworkHead;
  #chain = TestChain.create('a', 50);
  #highest = 49;
  #branches = 0;
  #orphaned: string[] = [];
  #givenUp = 0;

  constructor({ tiers, bad = 0, depth }: ModelScript) {
    this.#depth = depth;
    this.#register(this.#chain);
    this.#upstreams = [...tiers, ...Array<number>(bad).fill(1)].map((tier, i) => ({
      tracker: viewChain(this.#chain, 49, depth),
      tier,
      vote: 'votes',
      noteVote: setVote,
      isHealthy: true,
      isSyncing: false,
      isBad: i >= tiers.length,
    }));
    this.#network = this.#start();
  }

  #start(): NetworkHead {
    const options = makeHeadOptions(this.#clock, () => this.#candidates(), {
      maxLagBlocks: MAX_LAG_BLOCKS,
      maxLagMs: MAX_LAG_MS,
      giveUpMs: GIVE_UP_MS,
      wallTime: () => this.#wallTime(),
      onOrphaned: (hashes) => this.#orphaned.push(...hashes),
      onAbandoned: () => this.#givenUp++,
    });
    const network = new NetworkHead(options);
    network.update();
    return network;
  }

  /** Unix milliseconds: the newest block is not older than the clock. */
  #wallTime(): number {
    return 1_000 * (1_700_000_000 + 2 * this.#highest) + this.#clock.now();
  }

  run(step: Step): void {
    const before = step.kind === 'restart' ? undefined : this.#serve();
    this.#orphaned = [];
    this.#givenUp = 0;
    this.#apply(step);
    if (step.kind !== 'wait') this.#network.update();
    this.#check(before, this.#serve());
  }

  #apply(step: Step): void {
    switch (step.kind) {
      case 'grow':
        this.#extend(this.#chain.tip.number, step.blocks);
        return;
      case 'reorg':
        this.#reorganise(step);
        return;
      case 'sync': {
        const upstream = this.#pick(false, step.index);
        const tip = Math.max(0, Number(this.#chain.tip.number) - step.lag);
        if (upstream !== undefined)
          upstream.tracker = this.#claim(upstream, viewChain(this.#chain, tip, this.#depth));
        return;
      }
      case 'lie': {
        const upstream = this.#pick(true, step.index);
        if (upstream !== undefined) upstream.tracker = this.#tell(step.lie);
        return;
      }
      case 'claim': {
        const upstream = this.#pick(false, step.index);
        if (upstream === undefined) return;
        upstream.isSyncing = step.isSyncing;
        upstream.tracker = this.#claim(upstream, upstream.tracker);
        return;
      }
      case 'restart':
        this.#network.stop();
        this.#network = this.#start();
        return;
      case 'toggle': {
        const upstream = this.#upstreams[step.index % this.#upstreams.length];
        if (upstream === undefined) return;
        upstream.isHealthy = !upstream.isHealthy;
        if (!this.#badAreMinority()) upstream.isHealthy = !upstream.isHealthy;
        return;
      }
      case 'wait':
        this.#clock.advanceNow(step.ms);
    }
  }

  #tell(lie: Lie): HeadReport {
    if (lie === 'zero') return viewChain(new TestChain([makeBlock('z', 0n)]), 0);
    if (lie === 'absurd') return viewChain(new TestChain([makeBlock('x', 2n ** 60n)]), 0);
    if (lie === 'nothing') return { ...viewNothing(), isExpected: false };
    const tip = Number(this.#chain.tip.number);
    if (lie === 'honest') return viewChain(this.#chain, tip);
    const poisoned = this.#forge(Math.max(0, tip - lie.forkDepth), lie);
    return viewChain(poisoned, Number(poisoned.tip.number));
  }

  #forge(last: number, { length, isFresh }: Forgery): TestChain {
    const chain = this.#chain.fork('!', last, length);
    if (!isFresh) return chain;
    const now = BigInt(Math.floor(this.#wallTime() / 1_000));
    return new TestChain(
      chain.blocks.map((block, number) => (number > last ? { ...block, timestamp: now } : block)),
    );
  }

  #claim({ isSyncing }: Upstream, report: HeadReport): HeadReport {
    return { ...report, isSyncing };
  }

  #reorganise({ depth, blocks }: Extract<Step, { kind: 'reorg' }>): void {
    const last = Number(this.#chain.tip.number) - depth;
    this.#extend(BigInt(last), Math.max(blocks, this.#highest - MAX_LOSS - last));
  }

  /** Each branch has a distinct name, so that no two blocks have the same hash. */
  #extend(last: bigint, blocks: number): void {
    this.#chain = this.#chain.fork(`b${this.#branches++}`, Math.max(0, Number(last)), blocks);
    this.#register(this.#chain);
    if (this.#upstreams.some(({ isBad }) => isBad)) this.#pullAlong();
  }

  /** If some nodes lie, honest nodes do not lag and are therefore a majority; the chain may be idle, with old blocks. */
  #pullAlong(): void {
    const lowest = Number(this.#chain.tip.number) - NEAR;
    for (const upstream of this.#upstreams) {
      if (upstream.isBad || (upstream.tracker.latest?.number ?? 0n) >= lowest) continue;
      upstream.tracker = this.#claim(upstream, viewChain(this.#chain, lowest, this.#depth));
    }
  }

  #register(chain: TestChain): void {
    for (const block of chain.blocks) this.#blocks.set(block.hash, block);
    this.#highest = Math.max(this.#highest, Number(chain.tip.number));
  }

  #pick(isBad: boolean, index: number): Upstream | undefined {
    const kind = this.#upstreams.filter((upstream) => upstream.isBad === isBad);
    return kind[index % Math.max(1, kind.length)];
  }

  #badAreMinority(): boolean {
    const healthy = this.#upstreams.filter(({ isHealthy }) => isHealthy);
    return healthy.length === 0 || 2 * healthy.filter(({ isBad }) => isBad).length < healthy.length;
  }

  #candidates(): Upstream[] {
    return this.#upstreams.filter(({ isHealthy }) => isHealthy);
  }

  #voters(): HeadReport[] {
    return this.#candidates()
      .filter(({ vote }) => vote === 'votes')
      .map(({ tracker }) => tracker);
  }

  #serve(): Served {
    const { head } = this.#network;
    const hashes = new Map<bigint, string>();
    const top = head !== undefined && this.#blocks.has(head.hash) ? head.number : -1n;
    for (let number = top; number >= 0n; number--) {
      const hash = this.#network.hashAt(number);
      if (hash !== undefined) hashes.set(number, hash);
    }
    return { head, hashes };
  }

  #check(before: Served | undefined, now: Served): void {
    if (now.head === undefined) {
      assert.equal(before?.head, undefined);
      const mayVote = this.#candidates().some(
        ({ tracker }) => tracker.latest !== undefined && !tracker.isSyncing,
      );
      assert.ok(!mayVote || this.#voters().length > 1, 'a lone voter decides');
      return;
    }
    assert.ok(this.#blocks.has(now.head.hash), 'a block of a liar is served');
    assert.equal(this.#network.hashAt(now.head.number + 1n), undefined);
    const ancestry = this.#ancestry(now.head);
    for (const [number, hash] of now.hashes) assert.equal(hash, ancestry.get(number));
    if (before?.head !== undefined && before.head.hash !== now.head.hash)
      this.#checkMove(before, now, ancestry);
    else assert.deepEqual([this.#orphaned, this.#givenUp], [[], 0]);
    if (this.#upstreams.every(({ isBad }) => !isBad)) assert.equal(this.#givenUp, 0, 'no head was false');
    this.#checkProgress(now.head, ancestry);
    this.#checkBound(now.head);
  }

  #checkMove(before: Served, now: Served, ancestry: ReadonlyMap<bigint, string>): void {
    const [from, to] = [before.head as BlockHeader, now.head as BlockHeader];
    const reports = this.#voters();
    const needed = countShare('majority', reports.length);
    assert.ok(reports.filter((report) => hasBlock(report, to)).length >= needed, 'the share has not got it');
    if (to.number <= from.number) {
      assert.ok(
        this.#givenUp === 1 || this.#isReorgProven(before, reports, needed),
        'went back for no reason',
      );
    }
    if (this.#depth < ALL) return;
    const left = [...before.hashes].filter(([number, hash]) => ancestry.get(number) !== hash);
    assert.deepEqual(
      this.#orphaned,
      left.map(([, hash]) => hash),
    );
  }

  #isReorgProven(before: Served, reports: readonly HeadReport[], needed: number): boolean {
    return [...before.hashes].some(([number, hash]) => {
      const others = reports.map((report) => report.hashAt(number)).filter((other) => other !== hash);
      return others.some(
        (other) => other !== undefined && others.filter((same) => same === other).length >= needed,
      );
    });
  }

  /** If all honest nodes are at one block, the head is this block or above it on the same chain. */
  #checkProgress(head: BlockHeader, ancestry: ReadonlyMap<bigint, string>): void {
    const good = this.#candidates().filter(({ isBad, isSyncing }) => !isBad && !isSyncing);
    const common = good[0]?.tracker.latest;
    if (common === undefined || good.some(({ tracker }) => tracker.latest?.hash !== common.hash)) return;
    if (this.#depth < ALL) assert.ok(head.number >= common.number);
    else assert.equal(ancestry.get(common.number), common.hash);
  }

  /**
   * The head lags no healthy node by more than both bounds if all nodes that report to be synced are on one chain with it, unless more of
   * them, of that node's tier or better, are near the head than far ahead of it.
   */
  #checkBound(head: BlockHeader): void {
    if (this.#depth < ALL || this.#upstreams.some(({ isBad }) => isBad)) return;
    const synced = this.#candidates().filter(({ tracker, isSyncing }) => !isSyncing && tracker.latest);
    const blockOf = ({ tracker }: Upstream): BlockHeader => tracker.latest ?? head;
    const best = synced.reduce((a, b) => (blockOf(b).number > a.number ? blockOf(b) : a), head);
    const ancestry = this.#ancestry(best);
    if ([...synced.map(blockOf), head].some(({ number, hash }) => ancestry.get(number) !== hash)) return;
    for (const node of synced) {
      if (!isFar(head, blockOf(node))) continue;
      const peers = synced.filter(({ tier }) => tier <= node.tier).map(blockOf);
      const ahead = peers.filter((block) => isFar(head, block)).length;
      const near = peers.filter((block) => !isFar(head, block) && !isFar(block, head)).length;
      const isOutnumbered = head.number > 0n && near > ahead;
      assert.ok(isOutnumbered, `the head is ${head.number}, a node has ${blockOf(node).number}`);
    }
  }

  #ancestry(head: BlockHeader): Map<bigint, string> {
    const hashes = new Map<bigint, string>();
    for (let block: BlockHeader | undefined = head; block !== undefined; ) {
      hashes.set(block.number, block.hash);
      block = this.#blocks.get(block.parentHash);
    }
    return hashes;
  }
}

/** Whether a block lags another by more than both bounds. */
function isFar(block: BlockHeader, other: BlockHeader): boolean {
  return (
    other.number - block.number > BigInt(MAX_LAG_BLOCKS) &&
    Number(other.timestamp - block.timestamp) * 1_000 > MAX_LAG_MS
  );
}

const index = fc.nat(9);
const GROWTH: fc.Arbitrary<Step>[] = [
  fc.record({ kind: fc.constant('grow' as const), blocks: fc.integer({ min: 1, max: 6 }) }),
  fc.record({
    kind: fc.constant('reorg' as const),
    depth: fc.integer({ min: 1, max: 6 }),
    blocks: fc.integer({ min: 1, max: 8 }),
  }),
  fc.record({ kind: fc.constant('toggle' as const), index }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(60 * GIVE_UP_MS) }),
];
const lagOf = (most: number): { readonly weight: number; readonly arbitrary: fc.Arbitrary<Step> } => ({
  weight: 4,
  arbitrary: fc.record({
    kind: fc.constant('sync' as const),
    index,
    lag: fc.oneof(fc.constant(0), fc.nat(5), fc.nat(most)),
  }),
});
const lying: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('lie' as const),
  index,
  lie: fc.oneof(
    fc.constantFrom<Lie[]>('zero', 'absurd', 'nothing', 'honest'),
    fc.record({
      forkDepth: fc.nat(10),
      length: fc.integer({ min: 1, max: 40 }),
      isFresh: fc.boolean(),
    }),
  ),
});
const claiming: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('claim' as const),
  index,
  isSyncing: fc.boolean(),
});
const restarting: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('restart' as const) });

const listOf = (step: fc.Arbitrary<Step>): fc.Arbitrary<Step[]> =>
  fc.array(step, { minLength: 1, maxLength: 60 });
function play(script: ModelScript, steps: readonly Step[]): void {
  const model = new Model(script);
  for (const step of steps) model.run(step);
}

const ones = (count: number): number[] => Array<number>(count).fill(1);

test('whatever a minority reports, the head follows the majority: forwards, or by reorgs', () => {
  const steps = listOf(fc.oneof(...GROWTH, lagOf(NEAR), { weight: 2, arbitrary: lying }));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.nat(3), steps, (good, bad, all) =>
      play({ tiers: ones(good), bad: Math.min(bad, good - 1), depth: ALL + 50 }, all),
    ),
    { numRuns: countRuns(300) },
  );
});

test('nodes that know few of their blocks have the same guarantees', () => {
  const steps = listOf(fc.oneof(...GROWTH, lagOf(FAR)));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 6 }), steps, (good, depth, all) =>
      play({ tiers: ones(good), depth }, all),
    ),
    { numRuns: countRuns(300) },
  );
});

const tiersOf = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 });

test('while nodes lag, leave, sync and deny it, the head never goes back and stays near the best of them', () => {
  const steps = listOf(fc.oneof(...GROWTH, lagOf(FAR), { weight: 2, arbitrary: claiming }, restarting));
  fc.assert(
    fc.property(tiersOf, steps, (tiers, all) => play({ tiers, depth: ALL + 50 }, all)),
    { numRuns: countRuns(500) },
  );
});
