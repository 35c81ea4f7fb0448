import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { BlockHeader } from '../../../src/upstream/heads/block.ts';
import { countShare, hasBlock } from '../../../src/upstream/heads/choose-head.ts';
import { type HeadReport, NetworkHead } from '../../../src/upstream/heads/network-head.ts';
import { makeBlock, TestChain } from '../../support/block-tree.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { viewChain, viewNothing } from '../../support/head-views.ts';

const GIVE_UP_MS = 1_000;
/** Blocks below the head that are compared with the tree; longer than any chain here. */
const ALL = 256;

type Lie = 'zero' | 'absurd' | 'nothing' | 'honest' | { readonly forkDepth: number; readonly length: number };
type Step =
  | { readonly kind: 'grow'; readonly blocks: number }
  | { readonly kind: 'reorg'; readonly depth: number; readonly blocks: number }
  | { readonly kind: 'sync'; readonly who: number; readonly lag: number }
  | { readonly kind: 'lie'; readonly who: number; readonly lie: Lie }
  | { readonly kind: 'toggle'; readonly who: number }
  | { readonly kind: 'wait'; readonly ms: number };

type Upstream = { report: HeadReport; isHealthy: boolean; readonly isBad: boolean };

/** What the head and everything known below it were at one time. */
type Served = { readonly head: BlockHeader | undefined; readonly hashes: ReadonlyMap<bigint, string> };

/** A network of upstreams over a tree of blocks, and the checks of every move that its head makes. */
class Model {
  readonly #clock = new FakeClock();
  readonly #network: NetworkHead;
  readonly #upstreams: Upstream[];
  readonly #depth: number;
  readonly #blocks = new Map<string, BlockHeader>();
  #chain = TestChain.create('a', 50);
  #branches = 0;
  #orphaned: string[] = [];
  #givenUp = 0;

  constructor(good: number, bad: number, depth: number) {
    this.#depth = depth;
    this.#register(this.#chain);
    this.#upstreams = Array.from({ length: good + bad }, (_, i) => ({
      report: viewChain(this.#chain, 49, depth),
      isHealthy: true,
      isBad: i >= good,
    }));
    this.#network = new NetworkHead({
      share: 'majority',
      giveUpMs: GIVE_UP_MS,
      clock: this.#clock,
      reports: () => this.#reports(),
      onOrphaned: (hashes) => this.#orphaned.push(...hashes),
      onGivenUp: () => this.#givenUp++,
    });
    this.#network.update();
  }

  run(step: Step): void {
    const before = this.#serve();
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
        this.#extend(this.#chain.tip.number - BigInt(step.depth), step.blocks);
        return;
      case 'sync': {
        const upstream = this.#pick(false, step.who);
        const tip = Math.max(0, Number(this.#chain.tip.number) - step.lag);
        if (upstream !== undefined) upstream.report = viewChain(this.#chain, tip, this.#depth);
        return;
      }
      case 'lie': {
        const upstream = this.#pick(true, step.who);
        if (upstream !== undefined) upstream.report = this.#tell(step.lie);
        return;
      }
      case 'toggle': {
        const upstream = this.#upstreams[step.who % this.#upstreams.length];
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
    if (lie === 'nothing') return viewNothing();
    const tip = Number(this.#chain.tip.number);
    if (lie === 'honest') return viewChain(this.#chain, tip);
    const poisoned = this.#chain.fork('!', Math.max(0, tip - lie.forkDepth), lie.length);
    return viewChain(poisoned, Number(poisoned.tip.number));
  }

  /** Every branch has its own name, so that no two blocks have the same hash. */
  #extend(last: bigint, blocks: number): void {
    this.#chain = this.#chain.fork(`b${this.#branches++}`, Math.max(0, Number(last)), blocks);
    this.#register(this.#chain);
  }

  #register(chain: TestChain): void {
    for (const block of chain.blocks) this.#blocks.set(block.hash, block);
  }

  #pick(isBad: boolean, who: number): Upstream | undefined {
    const kind = this.#upstreams.filter((upstream) => upstream.isBad === isBad);
    return kind[who % Math.max(1, kind.length)];
  }

  #badAreMinority(): boolean {
    const healthy = this.#upstreams.filter(({ isHealthy }) => isHealthy);
    return healthy.length === 0 || 2 * healthy.filter(({ isBad }) => isBad).length < healthy.length;
  }

  #reports(): HeadReport[] {
    return this.#upstreams.filter(({ isHealthy }) => isHealthy).map(({ report }) => report);
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

  #check(before: Served, now: Served): void {
    assert.ok(now.head !== undefined);
    assert.ok(this.#blocks.has(now.head.hash), 'a block of a liar is served');
    assert.equal(this.#network.hashAt(now.head.number + 1n), undefined);
    const ancestry = this.#ancestry(now.head);
    for (const [number, hash] of now.hashes) assert.equal(hash, ancestry.get(number));
    if (before.head !== undefined && before.head.hash !== now.head.hash)
      this.#checkMove(before, now, ancestry);
    else assert.deepEqual([this.#orphaned, this.#givenUp], [[], 0]);
    this.#checkProgress(now.head, ancestry);
  }

  #checkMove(before: Served, now: Served, ancestry: ReadonlyMap<bigint, string>): void {
    const [from, to] = [before.head as BlockHeader, now.head as BlockHeader];
    const reports = this.#reports();
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

  /** Where all good upstreams stand at one block, the head is that block or still above it on the same chain. */
  #checkProgress(head: BlockHeader, ancestry: ReadonlyMap<bigint, string>): void {
    const good = this.#upstreams.filter(({ isBad, isHealthy }) => isHealthy && !isBad);
    const common = good[0]?.report.latest;
    if (common === undefined || good.some(({ report }) => report.latest?.hash !== common.hash)) return;
    if (this.#depth < ALL) assert.ok(head.number >= common.number);
    else assert.equal(ancestry.get(common.number), common.hash);
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

const who = fc.nat(9);
const stepOf: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('grow' as const), blocks: fc.integer({ min: 1, max: 6 }) }),
  fc.record({
    kind: fc.constant('reorg' as const),
    depth: fc.integer({ min: 1, max: 6 }),
    blocks: fc.integer({ min: 1, max: 8 }),
  }),
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('sync' as const),
      who,
      lag: fc.oneof(fc.constant(0), fc.nat(5), fc.nat(70)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('lie' as const),
      who,
      lie: fc.oneof(
        fc.constantFrom<Lie[]>('zero', 'absurd', 'nothing', 'honest'),
        fc.record({ forkDepth: fc.nat(10), length: fc.integer({ min: 1, max: 20 }) }),
      ),
    }),
  },
  fc.record({ kind: fc.constant('toggle' as const), who }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(2 * GIVE_UP_MS) }),
);
const stepsOf = fc.array(stepOf, { minLength: 1, maxLength: 60 });

test('whatever a minority tells, the head follows the others: forwards, by reorgs, or given up', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.nat(3), stepsOf, (good, bad, steps) => {
      const model = new Model(good, Math.min(bad, good - 1), ALL + 50);
      for (const step of steps) model.run(step);
    }),
    { numRuns: 300 },
  );
});

test('the same where upstreams know few of their blocks', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 6 }),
      stepsOf,
      (good, depth, steps) => {
        const model = new Model(good, 0, depth);
        for (const step of steps) model.run(step);
      },
    ),
    { numRuns: 300 },
  );
});
