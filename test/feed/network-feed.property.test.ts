import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ChainError } from '../../src/chain/errors.ts';
import { FeedError, type FeedStart, type LogCriteria } from '../../src/feed/feed.ts';
import { complete } from '../support/fake-clock.ts';
import { ModelChain, type ModelRead, modelAddress, modelTopic } from '../support/model-chain.ts';
import { createFeed, createScope, type FeedSetup, judgeSteps, Recorder, SLOW_TURNS } from './support.ts';

/** Small limits, so that most starts lie around the end of the window and limits are reached. */
const LIMITS = { windowBlocks: 8, maxBlocks: 200, readSteps: 10, catchUpReads: 3, logBytes: 20_000 };
const FIRST_BLOCKS = 20;
/** Longer than any read and any pause between attempts, milliseconds. */
const QUIET_MS = 120_000;
/** Steps may take one turn of the event loop each: the feed is at rest after this many rounds without events. */
const QUIET_ROUNDS = 40;

/** Behaviour of the chain for one read. */
type Behaviour = 'now' | 'soon' | 'late' | 'fails' | 'rejects' | 'null' | 'other' | 'never';
/** Most reads succeed, so that failures meet successes. */
const anyBehaviour = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Behaviour>('now') },
  { weight: 3, arbitrary: fc.constant<Behaviour>('soon') },
  { weight: 3, arbitrary: fc.constantFrom<Behaviour>('late', 'fails', 'rejects', 'null', 'other', 'never') },
);

type Action =
  | { readonly kind: 'grow'; readonly count: number; readonly isAnnounced: boolean }
  | {
      readonly kind: 'reorganise';
      readonly removed: number;
      readonly added: number;
      readonly isAnnounced: boolean;
    }
  | { readonly kind: 'serve'; readonly pick: number }
  | { readonly kind: 'unserve' }
  | { readonly kind: 'join'; readonly start: number; readonly pick: number; readonly listener: number }
  | { readonly kind: 'leave'; readonly pick: number }
  | { readonly kind: 'poll'; readonly pick: number }
  | { readonly kind: 'wait'; readonly ms: number };

const pick = fc.nat({ max: 1_000 });
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('grow' as const),
      count: fc.constantFrom(1, 1, 1, 2, 5, 15),
      isAnnounced: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('reorganise' as const),
      removed: fc.constantFrom(1, 1, 2, 3, 5, 12),
      added: fc.constantFrom(0, 1, 2, 4, 12),
      isAnnounced: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('serve' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unserve' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('join' as const),
      start: fc.nat({ max: 5 }),
      pick,
      listener: fc.nat({ max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), pick }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('poll' as const), pick }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 60, 700, 12_000) }),
  },
);

const CRITERIA: readonly LogCriteria[] = [
  { addresses: [], topics: [] },
  { addresses: [modelAddress(1)], topics: [] },
  { addresses: [modelAddress(0), modelAddress(2)], topics: [[modelTopic(1), modelTopic(2)]] },
  { addresses: [], topics: [[], [modelTopic(3)]] },
];

type Joined = {
  readonly start: FeedStart;
  readonly recorder: Recorder;
  readonly hasSteps: boolean;
  leave: (() => void) | undefined;
  hasLeft: boolean;
  failure: unknown;
};

/** A poller that repeatedly requests the changes since its last answer. */
type Poller = { readonly first: string; last: string; readonly steps: Recorder; isAsking: boolean };

class Scenario {
  readonly #setup: FeedSetup;
  readonly #behaviours: Behaviour[];
  readonly joined: Joined[] = [];
  readonly pollers: Poller[] = [];
  /** Reads that answered null. Each does so only once, because three nulls in a row mean that a block is gone. */
  readonly #nulls = new Set<string>();

  constructor(behaviours: readonly Behaviour[], hasSlowTurns: boolean) {
    this.#behaviours = [...behaviours];
    this.#setup = createFeed(new ModelChain(FIRST_BLOCKS), LIMITS, hasSlowTurns ? { slots: SLOW_TURNS } : {});
    const { model } = this.#setup;
    model.answer = (right, read) => this.#answer(right, read);
    this.pollers.push({
      first: model.head.hash,
      last: model.head.hash,
      steps: new Recorder(),
      isAsking: false,
    });
  }

  async run(actions: readonly Action[]): Promise<void> {
    for (const action of actions) await this.#do(action);
    const { model, feed } = this.#setup;
    this.#behaviours.length = 0;
    model.answer = (right) => right();
    model.isServed = true;
    model.grow(1).announce();
    await this.#rest();
    for (const one of this.joined) this.#check(one);
    for (const poller of this.pollers) await this.#finish(poller);
    feed.close();
    assert.equal(model.watchers, 0);
    for (const { hasLeft, failure, recorder } of this.joined) {
      const isThere = !hasLeft && failure === undefined;
      assert.deepEqual(
        recorder.ends.map(({ kind }) => kind),
        isThere ? ['closed'] : [],
      );
    }
  }

  /** Waits until all pending work has ended. */
  async #rest(): Promise<void> {
    let heard = -1;
    for (let quiet = 0; quiet < QUIET_ROUNDS; quiet++) {
      await this.#setup.clock.advance(QUIET_MS / QUIET_ROUNDS);
      const now = this.joined.reduce(
        (sum, { recorder }) => sum + recorder.steps.length + recorder.logs.length,
        0,
      );
      if (now !== heard) quiet = 0;
      heard = now;
    }
  }

  #check({ start, recorder, hasSteps, hasLeft, failure }: Joined): void {
    const { model } = this.#setup;
    assert.deepEqual(
      recorder.ends.map(({ message }) => message),
      [],
    );
    if (failure !== undefined) {
      assert.ok(failure instanceof ChainError || failure instanceof FeedError, String(failure));
      assert.deepEqual(recorder.steps, []);
      return;
    }
    const [first] = recorder.steps;
    let base = start.kind === 'after' ? start.hash : undefined;
    if (base === undefined) {
      assert.ok(hasSteps);
      if (first === undefined) base = model.head.hash;
      else base = first.kind === 'added' ? first.block.parentHash : first.block.hash;
      if (start.kind === 'from' && !hasLeft) {
        assert.equal(model.listAncestors(base).length, Number(start.number));
      }
    }
    recorder.check(model, base, hasLeft ? undefined : model.served);
  }

  async #finish(poller: Poller): Promise<void> {
    const { model, feed } = this.#setup;
    for (;;) {
      const { steps, last } = await feed.read({ kind: 'after', hash: poller.last }, createScope());
      poller.steps.steps.push(...steps);
      poller.last = last.hash;
      if (steps.length === 0) break;
    }
    judgeSteps(poller.steps.steps, model.listAncestors(poller.first), model.served);
  }

  async #do(action: Action): Promise<void> {
    const { model, clock } = this.#setup;
    if (action.kind === 'wait') await clock.advance(action.ms);
    else if (action.kind === 'grow') {
      model.isServed = true;
      model.grow(action.count);
      if (action.isAnnounced) model.announce();
    } else if (action.kind === 'reorganise') {
      model.reorganise(action.removed, action.added);
      if (action.isAnnounced) model.announce();
    } else if (action.kind === 'serve') {
      // Returns to a block that was served before, or moves further up.
      const recent = model.all.slice(-12);
      model.serve(recent[action.pick % recent.length]?.hash ?? '').announce();
    } else if (action.kind === 'unserve') {
      model.isServed = false;
      model.announce();
    } else if (action.kind === 'join') this.#join(action);
    else if (action.kind === 'leave') {
      const one = this.joined[action.pick % (this.joined.length || 1)];
      if (one?.leave !== undefined) {
        one.leave();
        one.hasLeft = true;
      }
    } else void this.#poll(action.pick);
  }

  #join({ start, pick: at, listener }: Extract<Action, { kind: 'join' }>): void {
    const { model, feed } = this.#setup;
    const from = this.#chooseStart(start, at);
    const criteria = CRITERIA[listener];
    const hasSteps = criteria === undefined || from.kind !== 'after' || at % 2 === 0;
    const one: Joined = {
      start: from,
      recorder: new Recorder(criteria, hasSteps),
      hasSteps,
      leave: undefined,
      hasLeft: false,
      failure: undefined,
    };
    assert.ok(model.all.length > 0);
    this.joined.push(one);
    feed.join(from, one.recorder.listener, createScope()).then(
      (leave) => {
        one.leave = leave;
      },
      (error: unknown) => {
        one.failure = error;
      },
    );
  }

  /** Chooses a start; half of all starts are blocks that were served once. */
  #chooseStart(start: number, at: number): FeedStart {
    const { model } = this.#setup;
    const recent = model.all.slice(-12);
    if (start === 0) return { kind: 'head' };
    if (start === 1) return { kind: 'from', number: BigInt(at % (model.served.length + 1)) };
    const blocks = start < 4 ? model.served : recent;
    return { kind: 'after', hash: blocks[at % blocks.length]?.hash ?? '' };
  }

  async #poll(at: number): Promise<void> {
    const poller = this.pollers[at % this.pollers.length];
    if (poller === undefined || poller.isAsking) return;
    poller.isAsking = true;
    try {
      const { steps, last } = await this.#setup.feed.read(
        { kind: 'after', hash: poller.last },
        createScope(),
      );
      poller.steps.steps.push(...steps);
      poller.last = last.hash;
    } catch (error) {
      assert.ok(error instanceof ChainError || error instanceof FeedError, String(error));
    }
    poller.isAsking = false;
  }

  #answer<T>(right: () => T, read: ModelRead): T | Promise<T> {
    const behaviour = this.#behaviours.shift() ?? 'soon';
    const { clock, model } = this.#setup;
    const { block } = read;
    const key = `${read.kind} ${block.kind === 'hash' ? block.hash : ''}`;
    if (behaviour === 'now') return right();
    if (behaviour === 'fails') throw new ChainError('unavailable', 'no node');
    if (behaviour === 'rejects') return Promise.reject(new ChainError('timeout', 'no node'));
    if (behaviour === 'never') return new Promise(() => {});
    if (behaviour === 'late') return new Promise((resolve) => clock.schedule(() => resolve(right()), 900));
    if (behaviour === 'null' && !this.#nulls.has(key)) {
      this.#nulls.add(key);
      return null as T;
    }
    if (behaviour === 'other' && read.kind === 'header') {
      // The answer is another block of this number, where there is one.
      const number = block.kind === 'number' ? block.number : 3n;
      const other = model.all.findLast((one) => one.number === number && !model.served.includes(one));
      if (other !== undefined) return Promise.resolve(other.header as T);
    }
    return complete().then(right);
  }
}

describe('network feed', () => {
  it('reports each step of the chain and its logs to each listener, once and in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyAction, { minLength: 5, maxLength: 40 }),
        fc.array(anyBehaviour, { maxLength: 300 }),
        fc.boolean(),
        async (actions, behaviours, hasSlowTurns) => {
          await new Scenario(behaviours, hasSlowTurns).run(actions);
        },
      ),
      { numRuns: Number(process.env['PORTCULLIS_FEED_RUNS'] ?? 60) },
    );
  });
});
