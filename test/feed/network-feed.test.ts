import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChainError } from '../../src/chain/errors.ts';
import { createLogTest } from '../../src/feed/criteria.ts';
import { FeedError, type FeedStart } from '../../src/feed/feed.ts';
import { countDeletes } from '../support/count-deletes.ts';
import { complete } from '../support/fake-clock.ts';
import { ModelChain, type ModelRead, modelAddress, modelTopic } from '../support/model-chain.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  ANY,
  createFeed,
  createScope,
  describeSteps,
  type FeedSetup,
  Recorder,
  SLOW_TURNS,
} from './support.ts';

const HEAD: FeedStart = { kind: 'head' };
const after = (hash: string): FeedStart => ({ kind: 'after', hash });
const isFeedError = (kind: FeedError['kind']) => (error: unknown) =>
  error instanceof FeedError && error.kind === kind;

async function join(
  { feed, clock }: FeedSetup,
  start: FeedStart,
  recorder = new Recorder(),
): Promise<{ readonly recorder: Recorder; readonly leave: () => void }> {
  const joining = feed.join(start, recorder.listener, createScope());
  await clock.advance(0);
  const leave = await joining;
  await clock.advance(0);
  return { recorder, leave };
}

/** Runs the feed's pending work without advancing the clock. */
async function rest({ clock }: FeedSetup): Promise<void> {
  for (let round = 0; round < 4; round++) await clock.advance(0);
}

function countLogReads({ reads }: ModelChain): number {
  return reads.filter(({ kind }) => kind === 'logs').length;
}

/** Fails reads of one block until `allow` is called. */
function block(model: ModelChain, hash: string, kind: ModelRead['kind']): { allow: () => void } {
  let isBlocked = true;
  model.answer = (right, read) => {
    if (isBlocked && read.kind === kind && read.block.kind === 'hash' && read.block.hash === hash)
      throw new ChainError('unavailable', 'no node has it');
    return right();
  };
  return {
    allow: () => {
      isBlocked = false;
    },
  };
}

describe('network feed: steps and logs', () => {
  it('reports new blocks as added, and a reorg as removed and added blocks', async () => {
    const setup = createFeed(new ModelChain(10));
    const { recorder } = await join(setup, HEAD);
    setup.model.grow(1).announce();
    await rest(setup);
    setup.model.reorganise(2, 3).announce();
    await rest(setup);
    assert.equal(recorder.summary, '+10 -10 -9 +9 +10 +11');
    const { header, hash, parentHash } = recorder.steps[0]?.block ?? {};
    assert.deepEqual(JSON.parse(header ?? ''), { number: '0xa', hash, parentHash });
  });

  it('finds the blocks between two announcements, and reads each header once', async () => {
    const setup = createFeed(new ModelChain(100));
    const { recorder } = await join(setup, HEAD);
    await rest(setup);
    setup.model.reads.length = 0;
    setup.model.grow(30).announce();
    await rest(setup);
    assert.equal(recorder.steps.length, 30);
    assert.equal(setup.model.reads.length, 30);
  });

  it('reports the logs of a block in order, and those of a removed block in reverse with removed: true', async () => {
    const setup = createFeed(new ModelChain(10));
    const { recorder } = await join(setup, HEAD, new Recorder(ANY, false));
    const old = setup.model.grow(4).head;
    setup.model.announce();
    await rest(setup);
    assert.deepEqual(
      recorder.logs.map(({ step }) => step.block.number),
      [10n, 11n, 12n, 13n],
    );
    assert.deepEqual(recorder.logs.at(-1)?.logs, old.logs);
    setup.model.reorganise(1, 0).announce();
    await rest(setup);
    const { logs = [], step } = recorder.logs.at(-1) ?? {};
    assert.equal(step?.kind, 'removed');
    assert.deepEqual(
      logs.map(({ json }) => JSON.parse(json) as unknown),
      old.logs.map(({ json }) => ({ ...(JSON.parse(json) as object), removed: true })).reverse(),
    );
    assert.ok(old.logs.length > 1);
  });

  it('reads the logs of a block once for all listeners, and none without a listener to logs', async () => {
    const setup = createFeed(new ModelChain(10));
    await join(setup, HEAD);
    setup.model.grow(3).announce();
    await rest(setup);
    assert.equal(countLogReads(setup.model), 0);
    const criteria = { addresses: [modelAddress(1)], topics: [] };
    const same = { addresses: [modelAddress(1), modelAddress(1)], topics: [] };
    const [one, other] = [new Recorder(criteria), new Recorder(same)];
    for (const recorder of [one, other, new Recorder(ANY)]) await join(setup, HEAD, recorder);
    setup.model.grow(5).announce();
    await rest(setup);
    assert.equal(countLogReads(setup.model), 5);
    assert.ok(one.logs.length > 0);
    for (const [index, { logs }] of one.logs.entries()) assert.equal(logs, other.logs[index]?.logs);
  });

  it('reads logs again that were evicted before their block was removed', async () => {
    const setup = createFeed(new ModelChain(10), { logBytes: 1_000 });
    const { recorder } = await join(setup, HEAD, new Recorder(ANY));
    const base = setup.model.head.hash;
    setup.model.grow(6).announce();
    await rest(setup);
    setup.model.reorganise(6, 7).announce();
    await rest(setup);
    recorder.check(setup.model, base, setup.model.served);
    assert.ok(countLogReads(setup.model) > 13);
  });

  it('reports the logs of a block that exceed the cache', async () => {
    const setup = createFeed(new ModelChain(10), { logBytes: 1 });
    const { recorder } = await join(setup, HEAD, new Recorder(ANY));
    const base = setup.model.head.hash;
    setup.model.answer = (right) => Promise.resolve().then(right);
    setup.model.grow(4).announce();
    await rest(setup);
    recorder.check(setup.model, base, setup.model.served);
  });

  it('ends listeners to logs if the logs of a removed block are no longer available', async () => {
    const setup = createFeed(new ModelChain(10), { logBytes: 1 });
    setup.model.keepsRemoved = false;
    const { recorder } = await join(setup, HEAD, new Recorder(ANY));
    const steps = await join(setup, HEAD);
    setup.model.grow(2).announce();
    await rest(setup);
    setup.model.reorganise(1, 2).announce();
    for (let round = 0; round < 5; round++) await setup.clock.advance(2_000);
    assert.deepEqual(
      recorder.ends.map(({ kind }) => kind),
      ['unknownBlock'],
    );
    assert.equal(steps.recorder.summary, '+10 +11 -11 +11 +12');
  });
});

describe('network feed: failed reads', () => {
  it('waits for a block that cannot be read, and reports no later block before it', async () => {
    const setup = createFeed(new ModelChain(10));
    const { recorder } = await join(setup, HEAD);
    await rest(setup);
    const missing = setup.model.grow(1).head;
    const { allow } = block(setup.model, missing.hash, 'header');
    setup.model.announce();
    setup.model.grow(1).announce();
    await setup.clock.advance(30_000);
    assert.equal(recorder.summary, '');
    allow();
    await setup.clock.advance(5_000);
    assert.equal(recorder.summary, '+10 +11');
  });

  it('abandons an unreadable block once it is no longer an ancestor of the head', async () => {
    const setup = createFeed(new ModelChain(10));
    const { recorder } = await join(setup, HEAD);
    await rest(setup);
    const missing = setup.model.grow(1).head;
    block(setup.model, missing.hash, 'header');
    setup.model.announce();
    await rest(setup);
    setup.model.grow(1).announce();
    await rest(setup);
    setup.model.reorganise(2, 2).announce();
    await rest(setup);
    assert.equal(recorder.summary, '+10 +11');
    assert.equal(recorder.steps.at(-1)?.block.hash, setup.model.head.hash);
  });

  it('does not wait for a read that never ends once the head has left its block', async () => {
    const setup = createFeed(new ModelChain(10));
    const { recorder } = await join(setup, HEAD);
    await rest(setup);
    const hanging = new Set<string>();
    setup.model.answer = (right, { block: read }) =>
      read.kind === 'hash' && hanging.has(read.hash) ? new Promise(() => {}) : right();
    for (let heads = 0; heads < 3; heads++) {
      hanging.add(setup.model.grow(1).head.hash);
      setup.model.announce();
      await rest(setup);
      setup.model.reorganise(1, 1).announce();
      await rest(setup);
    }
    assert.equal(recorder.summary, '+10 +11 +12');
  });

  it('delays only listeners to logs while logs cannot be read', async () => {
    const setup = createFeed(new ModelChain(10));
    const steps = await join(setup, HEAD);
    const logs = await join(setup, HEAD, new Recorder(ANY));
    const base = setup.model.head.hash;
    const missing = setup.model.grow(1).head;
    const { allow } = block(setup.model, missing.hash, 'logs');
    setup.model.announce();
    setup.model.grow(2).announce();
    await setup.clock.advance(20_000);
    assert.equal(steps.recorder.summary, '+10 +11 +12');
    assert.equal(logs.recorder.summary, '');
    allow();
    await setup.clock.advance(5_000);
    logs.recorder.check(setup.model, base, setup.model.served);
  });

  it('abandons a pending read of logs when their block leaves the chain', async () => {
    const setup = createFeed(new ModelChain(10));
    const { recorder } = await join(setup, HEAD, new Recorder(ANY));
    block(setup.model, setup.model.grow(1).head.hash, 'logs');
    setup.model.announce();
    await rest(setup);
    setup.model.reorganise(1, 2).announce();
    await rest(setup);
    assert.equal(recorder.summary, '+10 +11');
    recorder.check(setup.model, setup.model.served[9]?.hash ?? '', setup.model.served);
  });

  it('rejects the header of another block', async () => {
    const setup = createFeed(new ModelChain(10));
    const { recorder } = await join(setup, HEAD);
    await rest(setup);
    const wrong = setup.model.head.header;
    const { hash } = setup.model.grow(1).head;
    let lies = 3;
    setup.model.answer = <T>(right: () => T, { block: read }: ModelRead): T =>
      read.kind === 'hash' && read.hash === hash && lies-- > 0 ? (wrong as T) : right();
    setup.model.announce();
    await setup.clock.advance(5_000);
    assert.equal(recorder.summary, '+10');
    assert.equal(lies, -1);
  });
});

describe('network feed: start of a listener', () => {
  it('continues over a reorg that happened without listeners, even if nodes have dropped the branch', async () => {
    const setup = createFeed(new ModelChain(50));
    setup.model.keepsRemoved = false;
    const first = await join(setup, HEAD);
    first.leave();
    const seen = setup.model.grow(3).head.hash;
    setup.model.announce();
    await rest(setup);
    setup.model.reorganise(2, 4).announce();
    await rest(setup);
    await setup.clock.advance(30 * 60_000);
    setup.model.reads.length = 0;
    const { recorder } = await join(setup, after(seen));
    assert.deepEqual(setup.model.reads, []);
    assert.equal(recorder.summary, '-52 -51 +51 +52 +53 +54');
  });

  it('continues from an orphaned block that only the chain still has', async () => {
    const model = new ModelChain(50);
    const seen = model.head.hash;
    model.reorganise(5, 7);
    const setup = createFeed(model);
    const { recorder } = await join(setup, after(seen), new Recorder(ANY));
    assert.equal(recorder.summary, '-49 -48 -47 -46 -45 +45 +46 +47 +48 +49 +50 +51');
    recorder.check(model, seen, model.served);
  });

  it('rejects an unknown block', async () => {
    const model = new ModelChain(50);
    const seen = model.head.hash;
    model.reorganise(5, 7);
    model.keepsRemoved = false;
    const setup = createFeed(model);
    for (const hash of [seen, `0x${'9'.repeat(64)}`]) {
      const joining = setup.feed.join(after(hash), new Recorder().listener, createScope());
      const refused = assert.rejects(joining, isFeedError('unknownBlock'));
      await setup.clock.advance(10_000);
      await refused;
    }
  });

  it('rejects a start whose logs cannot be reported as removed, and names the ancestor to continue from', async () => {
    const setup = createFeed(new ModelChain(50), { logBytes: 1 });
    setup.model.keepsRemoved = false;
    // The feed follows the head for another listener, and has the headers of blocks that leave the chain.
    await join(setup, HEAD);
    const ancestor = setup.model.head;
    const seen = setup.model.grow(3).head.hash;
    setup.model.announce();
    await rest(setup);
    setup.model.reorganise(3, 5).announce();
    await rest(setup);
    const joining = setup.feed.join(after(seen), new Recorder(ANY).listener, createScope());
    const refused = assert.rejects(
      joining,
      (error) => isFeedError('unknownBlock')(error) && (error as FeedError).ancestor?.hash === ancestor.hash,
    );
    await setup.clock.advance(10_000);
    await refused;
    const headers = await join(setup, after(seen));
    assert.equal(headers.recorder.summary, '-52 -51 -50 +50 +51 +52 +53 +54');
    const logs = await join(setup, after(ancestor.hash), new Recorder(ANY));
    logs.recorder.check(setup.model, ancestor.hash, setup.model.served);
    assert.deepEqual(logs.recorder.ends, []);
  });

  it('rejects an orphaned block whose parent is gone', async () => {
    const model = new ModelChain(50);
    model.grow(2);
    const seen = model.head;
    model.reorganise(2, 3);
    const setup = createFeed(model);
    model.answer = (right, { block: requested }) =>
      requested.kind === 'hash' && requested.hash === seen.parentHash ? (null as never) : right();
    for (const recorder of [new Recorder(), new Recorder(ANY)]) {
      const joining = setup.feed.join(after(seen.hash), recorder.listener, createScope());
      const refused = assert.rejects(joining, isFeedError('unknownBlock'));
      await setup.clock.advance(10_000);
      await refused;
      assert.deepEqual(recorder.ends, []);
    }
  });

  it('finds the path from an orphaned block below the window', async () => {
    const model = new ModelChain(400);
    const seen = model.head.hash;
    model.reorganise(5, 100);
    const setup = createFeed(model, { windowBlocks: 16 });
    const { recorder } = await join(setup, after(seen), new Recorder(ANY));
    for (let round = 0; round < 20; round++) await rest(setup);
    recorder.check(model, seen, model.served);
    const later = createFeed(model, { windowBlocks: 16 });
    model.answer = (right, read) =>
      read.kind === 'logs' && read.block.kind === 'hash' && !model.serves(read.block.hash)
        ? (null as never)
        : right();
    const refused = assert.rejects(
      later.feed.join(after(seen), new Recorder(ANY).listener, createScope()),
      isFeedError('unknownBlock'),
    );
    await later.clock.advance(10_000);
    await refused;
  });

  it('reports the blocks below the window in order, and then new blocks', async () => {
    const model = new ModelChain(400);
    const setup = createFeed(model, { windowBlocks: 16 });
    for (const start of [after(model.served[9]?.hash ?? ''), { kind: 'from', number: 10n } as const]) {
      const { recorder } = await join(setup, start, new Recorder(ANY));
      for (let round = 0; recorder.steps.length < 390 && round < 1_000; round++) await rest(setup);
      recorder.check(model, model.served[9]?.hash ?? '', model.served);
    }
    const whole = await join(setup, { kind: 'from', number: 0n });
    for (let round = 0; whole.recorder.steps.length < 400 && round < 1_000; round++) await rest(setup);
    model.grow(1).announce();
    await rest(setup);
    assert.deepEqual(
      whole.recorder.steps.map(({ block: { hash } }) => hash),
      model.served.map(({ hash }) => hash),
    );
  });

  it('removes no block when the chain temporarily answers from another branch', async () => {
    const model = new ModelChain(100);
    const setup = createFeed(model, { windowBlocks: 8 });
    const foreign = model.served.map(({ header, parentHash }) =>
      header.replace(parentHash, `0x${'c'.repeat(64)}`),
    );
    let lies = 12;
    model.answer = <T>(right: () => T, { block: read }: ModelRead): T =>
      read.kind === 'number' && read.number % 3n === 2n && lies-- > 0
        ? (foreign[Number(read.number)] as T)
        : right();
    const { recorder } = await join(setup, after(model.served[40]?.hash ?? ''));
    for (let round = 0; round < 40; round++) await setup.clock.advance(1_000);
    assert.ok(lies < 1);
    assert.doesNotMatch(recorder.summary, /-/);
    recorder.check(model, model.served[40]?.hash ?? '', model.served);
  });

  it('accepts a start above the served head, and waits for its child', async () => {
    const setup = createFeed(new ModelChain(20));
    const ahead = setup.model.grow(3).head.hash;
    setup.model.serve(setup.model.served[20]?.hash ?? '');
    const { recorder } = await join(setup, after(ahead));
    const { steps, last } = await setup.feed.read(after(ahead), createScope());
    assert.deepEqual([steps, last.hash], [[], ahead]);
    setup.model.serve(ahead).announce();
    await rest(setup);
    setup.model.grow(1).announce();
    await rest(setup);
    assert.equal(recorder.summary, '+23');
  });

  it('rejects a start that is too far back, and one beyond the head', async () => {
    const setup = createFeed(new ModelChain(100), { maxBlocks: 50 });
    const old = setup.model.served[20]?.hash ?? '';
    for (const start of [after(old), { kind: 'from', number: 30n } as const]) {
      await assert.rejects(
        setup.feed.join(start, new Recorder().listener, createScope()),
        isFeedError('tooFar'),
      );
      await assert.rejects(setup.feed.read(start, createScope()), isFeedError('tooFar'));
    }
    const beyond = setup.feed.read({ kind: 'from', number: 102n }, createScope());
    const refused = assert.rejects(beyond, isFeedError('unknownBlock'));
    await setup.clock.advance(10_000);
    await refused;
    const { steps } = await setup.feed.read({ kind: 'from', number: 100n }, createScope());
    assert.deepEqual(steps, []);
  });

  it('ends listeners that miss too many blocks, and serves listeners that join afterwards', async () => {
    const setup = createFeed(new ModelChain(10), { maxBlocks: 20, windowBlocks: 8 });
    const lost = await join(setup, HEAD);
    setup.model.grow(41).announce();
    await rest(setup);
    assert.deepEqual(
      lost.recorder.ends.map(({ kind }) => kind),
      ['tooFar'],
    );
    const next = await join(setup, HEAD);
    setup.model.grow(1).announce();
    await rest(setup);
    assert.equal(next.recorder.summary, '+51');
    assert.deepEqual([lost.recorder.steps, lost.recorder.ends.length], [[], 1]);
  });

  it('catches up in order when the head is beyond the window', async () => {
    const setup = createFeed(new ModelChain(10), { maxBlocks: 200, windowBlocks: 8 });
    const { recorder } = await join(setup, HEAD, new Recorder(ANY));
    const base = setup.model.head.hash;
    setup.model.reorganise(1, 150).announce();
    for (let round = 0; recorder.steps.length < 151 && round < 1_000; round++) await rest(setup);
    recorder.check(setup.model, base, setup.model.served);
  });

  it('reads for a few catching-up listeners at a time, with a share for each owner', async () => {
    const model = new ModelChain(3_000);
    const setup = createFeed(model, { windowBlocks: 8, catchUpReads: 4 });
    await join(setup, HEAD);
    const open = new Set<() => void>();
    model.answer = <T>(right: () => T): Promise<T> =>
      new Promise((resolve) => {
        const answer = (): void => {
          open.delete(answer);
          resolve(right());
        };
        open.add(answer);
      });
    const recorders = Array.from({ length: 12 }, () => new Recorder());
    for (const [index, recorder] of recorders.entries()) {
      const scope = createScope();
      scope.owner = index < 11 ? 'key:many' : 'key:one';
      // The starts are far apart, so that no two listeners read the same headers.
      const start: FeedStart = { kind: 'from', number: BigInt(100 + 200 * index) };
      const joining = setup.feed.join(start, recorder.listener, scope);
      await rest(setup);
      for (const answer of [...open]) answer();
      await joining;
    }
    await rest(setup);
    // A listener reads 16 headers at a time.
    assert.ok(open.size > 16 && open.size <= 4 * 16, `${open.size} reads`);
    for (let round = 0; round < 8; round++) {
      for (const answer of [...open]) answer();
      await rest(setup);
    }
    assert.ok((recorders[11]?.steps.length ?? 0) > 0);
    setup.feed.close();
  });

  it('waits until a catching-up listener is ready, without delaying other listeners', async () => {
    const setup = createFeed(new ModelChain(50));
    const slow = new Recorder();
    let go = (): void => {};
    const listener = {
      ...slow.listener,
      waitUntilReady: () =>
        new Promise<void>((resolve) => {
          go = resolve;
        }),
    };
    const leave = await setup.feed.join(after(setup.model.served[40]?.hash ?? ''), listener, createScope());
    const other = await join(setup, HEAD);
    setup.model.grow(1).announce();
    await rest(setup);
    assert.equal(other.recorder.summary, '+50');
    assert.equal(slow.summary, '');
    for (let step = 0; step < 2; step++) {
      go();
      await rest(setup);
    }
    assert.equal(slow.summary, '+41 +42');
    leave();
    await rest(setup);
    assert.equal(setup.feed.listeners, 1);
  });
});

describe('network feed: reads and joins', () => {
  it('returns the changes since a block, in pages', async () => {
    const setup = createFeed(new ModelChain(50), { readSteps: 4 });
    const { last: first } = await setup.feed.read(HEAD, createScope());
    assert.deepEqual(first, { number: 49n, hash: setup.model.head.hash });
    setup.model.reorganise(2, 5);
    const parts: string[] = [];
    for (let last = first; last.hash !== setup.model.head.hash; ) {
      const changes = await setup.feed.read(after(last.hash), createScope());
      parts.push(describeSteps(changes.steps));
      ({ last } = changes);
    }
    assert.deepEqual(parts, ['-49 -48 +48 +49', '+50 +51 +52']);
  });

  it('returns the logs of a step that match the criteria', async () => {
    const setup = createFeed(new ModelChain(12));
    const { steps } = await setup.feed.read({ kind: 'from', number: 1n }, createScope());
    const matches = createLogTest({ addresses: [modelAddress(1)], topics: [] });
    const found = await Promise.all(steps.map((step) => setup.feed.readLogs(step, matches, createScope())));
    const expected = setup.model.served
      .slice(1)
      .map(({ logs }) => logs.filter(({ address }) => address === modelAddress(1)));
    assert.deepEqual(found, expected);
    assert.ok(found.flat().length > 3);
    const step = steps.at(-1);
    assert.ok(step !== undefined);
    const removed = await setup.feed.readLogs(
      { ...step, kind: 'removed' },
      createLogTest(ANY),
      createScope(),
    );
    assert.deepEqual(
      removed.map(({ json }) => json.replace('true}', 'false}')),
      setup.model.head.logs.map(({ json }) => json).reverse(),
    );
  });

  it('returns steps up to the served head even if it was not announced', async () => {
    const setup = createFeed(new ModelChain(20));
    const { last } = await setup.feed.read(HEAD, createScope());
    setup.model.grow(2);
    const { steps } = await setup.feed.read(after(last.hash), createScope());
    assert.equal(describeSteps(steps), '+20 +21');
  });

  it('waits for the head at most for the time limit', async () => {
    const setup = createFeed(new ModelChain(20), { headWaitMs: 500 });
    const { last } = await setup.feed.read(HEAD, createScope());
    block(setup.model, setup.model.grow(1).head.hash, 'header');
    const reading = setup.feed.read(after(last.hash), createScope());
    await setup.clock.advance(600);
    assert.deepEqual(await reading, { steps: [], last });
  });

  it('throws unavailable without a head', async () => {
    const setup = createFeed(new ModelChain(20));
    setup.model.isServed = false;
    const isUnavailable = (error: unknown): boolean =>
      error instanceof ChainError && error.kind === 'unavailable';
    await assert.rejects(setup.feed.read(HEAD, createScope()), isUnavailable);
  });

  it('adds no listener for a scope that has ended', async () => {
    const setup = createFeed(new ModelChain(20));
    setup.model.answer = () => new Promise(() => {});
    const scope = createScope();
    const joining = setup.feed.join(HEAD, new Recorder().listener, scope);
    await complete();
    scope.abort();
    await assert.rejects(joining, { kind: 'aborted' });
    setup.model.answer = (right) => right();
    await setup.clock.advance(30_000);
    assert.equal(setup.feed.listeners, 0);
  });
});

describe('network feed: life cycle', () => {
  it('reads nothing before it is used', async () => {
    const setup = createFeed(new ModelChain(20));
    setup.model.grow(1).announce();
    await rest(setup);
    assert.deepEqual([setup.model.reads.length, setup.model.watchers], [0, 0]);
    assert.equal(setup.feed.isSynced, true);
  });

  it('reads one header per block without listeners, and stops after an idle period', async () => {
    const setup = createFeed(new ModelChain(20), { idleMs: 60_000 });
    await setup.feed.read(HEAD, createScope());
    await rest(setup);
    setup.model.reads.length = 0;
    for (let blocks = 0; blocks < 5; blocks++) {
      setup.model.grow(1).announce();
      await setup.clock.advance(12_000);
    }
    assert.equal(setup.model.reads.length, 5);
    for (let blocks = 0; blocks < 2; blocks++) {
      setup.model.grow(1).announce();
      await setup.clock.advance(1_000);
    }
    assert.equal(setup.model.watchers, 0);
    const { recorder } = await join(setup, HEAD);
    setup.model.grow(1).announce();
    await rest(setup);
    assert.equal(recorder.summary, '+27');
  });

  it('reports nothing to a listener that has left, and ends only a listener that throws', async () => {
    const setup = createFeed(new ModelChain(20));
    const [left, stays] = [await join(setup, HEAD), await join(setup, HEAD)];
    const thrown = new Recorder();
    const throwing = {
      ...thrown.listener,
      onStep: () => {
        throw new Error('of the listener');
      },
    };
    await setup.feed.join(HEAD, throwing, createScope());
    left.leave();
    setup.model.grow(2).announce();
    await rest(setup);
    assert.deepEqual([left.recorder.summary, left.recorder.ends], ['', []]);
    assert.equal(stays.recorder.summary, '+20 +21');
    assert.deepEqual(
      thrown.ends.map(({ kind }) => kind),
      ['closed'],
    );
    assert.equal(setup.feed.listeners, 1);
  });

  it('ends all listeners, reads and watches when it is closed', async () => {
    const setup = createFeed(new ModelChain(20));
    const joined = [
      await join(setup, HEAD),
      await join(setup, HEAD, new Recorder(ANY)),
      await join(setup, after(setup.model.served[3]?.hash ?? ''), new Recorder(ANY)),
    ];
    setup.feed.watchPending(() => {});
    setup.feed.watchSync(() => {});
    setup.model.answer = () => new Promise(() => {});
    setup.model.grow(1).announce();
    const waiting = setup.feed.read(after(`0x${'7'.repeat(64)}`), createScope());
    const refused = assert.rejects(waiting, isFeedError('closed'));
    await rest(setup);
    setup.feed.close();
    await refused;
    for (const { recorder } of joined)
      assert.deepEqual(
        recorder.ends.map(({ kind }) => kind),
        ['closed'],
      );
    assert.deepEqual([setup.model.watchers, setup.model.pendingWatchers, setup.feed.listeners], [0, 0, 0]);
    await assert.rejects(
      setup.feed.join(HEAD, new Recorder().listener, createScope()),
      isFeedError('closed'),
    );
  });

  it('reports a step that is in progress to a listener that joins, or starts the listener after it', async () => {
    const setup = createFeed(new ModelChain(20), {}, { slots: SLOW_TURNS });
    const base = setup.model.head.hash;
    const recorders = Array.from({ length: 100 }, () => new Recorder(ANY));
    for (const recorder of recorders) await join(setup, after(base), recorder);
    for (let blocks = 0; blocks < 10; blocks++) {
      setup.model.reorganise(blocks % 3, (blocks % 3) + 1).announce();
      for (let turn = 0; turn < blocks; turn++) await new Promise((resolve) => setImmediate(resolve));
      for (const hash of [base, setup.model.head.hash, setup.model.served.at(-2)?.hash ?? '']) {
        const recorder = new Recorder(ANY);
        void setup.feed.join(after(hash), recorder.listener, createScope());
        if (hash === base) recorders.push(recorder);
      }
    }
    for (let round = 0; round < 40; round++) await rest(setup);
    for (const recorder of recorders) recorder.check(setup.model, base, setup.model.served);
  });

  it('lets many listeners with long criteria leave at once, and removes their entries later', async () => {
    const setup = createFeed(new ModelChain(20));
    const criteria = Array.from({ length: 100 }, (_, i) => ({
      addresses: [],
      topics: [Array.from({ length: 250 }, (_, k) => modelTopic(1_000 * (i + 1) + k))],
    }));
    const leaves = await Promise.all(
      criteria.map((one) => setup.feed.join(HEAD, new Recorder(one).listener, createScope())),
    );
    const left = new Recorder(ANY);
    await join(setup, HEAD, left);
    setup.model.grow(1).announce();
    await rest(setup);
    const leaving = await countDeletes(() => {
      for (const leave of leaves) leave();
    });
    assert.ok(leaving <= 5 * criteria.length, `${leaving} entries were removed at once`);
    // Slices end by time: a busy machine needs more turns for the same number of entries.
    const entries = 2 * 250 * criteria.length;
    let swept = 0;
    await waitUntil(async () => {
      swept += await countDeletes(() => rest(setup));
      return swept >= entries;
    });
    setup.model.grow(1).announce();
    await rest(setup);
    assert.equal(left.steps.length, 2);
  });

  it('serves thousands of listeners in order, including listeners that join in between', async () => {
    const setup = createFeed(new ModelChain(20));
    const base = setup.model.head.hash;
    const recorders = Array.from({ length: 2_000 }, () => new Recorder(ANY));
    const joining = recorders.map((recorder) =>
      setup.feed.join(after(base), recorder.listener, createScope()),
    );
    await Promise.all(joining);
    const late: Recorder[] = [];
    for (let blocks = 0; blocks < 5; blocks++) {
      setup.model.grow(1).announce();
      const recorder = new Recorder(ANY);
      late.push(recorder);
      await setup.feed.join(after(base), recorder.listener, createScope());
      setup.model.reorganise(1, 2).announce();
    }
    for (let round = 0; round < 20; round++) await rest(setup);
    for (const recorder of [...recorders, ...late]) recorder.check(setup.model, base, setup.model.served);
  });
});

describe('network feed: sync state and pending transactions', () => {
  it('reports to watchers whether the network has a head', () => {
    const { model, feed } = createFeed(new ModelChain(5));
    const heard: boolean[] = [];
    const end = feed.watchSync((isSynced) => heard.push(isSynced));
    model.announce();
    for (const isServed of [false, false, true, false]) {
      model.isServed = isServed;
      model.announce();
    }
    assert.deepEqual(heard, [false, true, false]);
    assert.equal(feed.isSynced, false);
    end();
    assert.equal(model.watchers, 0);
  });

  it('reports each pending transaction once, over a single watch', async () => {
    const { model, feed } = createFeed(new ModelChain(5));
    const heard: string[][] = [[], []];
    const ends = heard.map((hashes) => feed.watchPending((some) => void hashes.push(...some)));
    assert.equal(model.pendingWatchers, 1);
    model.announcePending(['0x1', '0x2']);
    model.announcePending(['0x2', '0x3', '0x3']);
    await complete();
    assert.deepEqual(heard, [
      ['0x1', '0x2', '0x3'],
      ['0x1', '0x2', '0x3'],
    ]);
    for (const end of ends) end?.();
    assert.equal(model.pendingWatchers, 0);
  });
});

describe('network feed: bound of criteria', () => {
  it('bounds the addresses and topics of all listeners, by owner, until they leave', async () => {
    const setup = createFeed(new ModelChain(10), { criteriaValues: 8 });
    const listen = async (owner: string, values: number): Promise<() => void> => {
      const addresses = Array.from({ length: values }, (_, at) => modelAddress(at));
      const scope = createScope();
      scope.owner = owner;
      const joining = setup.feed.join(HEAD, new Recorder({ addresses, topics: [] }).listener, scope);
      joining.catch(() => {});
      await setup.clock.advance(0);
      return joining;
    };
    const leave = await listen('one', 4);
    await assert.rejects(listen('one', 1), isFeedError('tooMuch'));
    await listen('one', 0);
    await listen('two', 2);
    await assert.rejects(listen('two', 3), isFeedError('tooMuch'));
    leave();
    leave();
    await listen('one', 2);
    assert.equal(setup.feed.listeners, 3);
  });

  it('counts the other values of a listener in the same bound', async () => {
    const setup = createFeed(new ModelChain(10), { criteriaValues: 8 });
    const listen = async (values: number): Promise<() => void> => {
      const joining = setup.feed.join(HEAD, { onStep: () => {}, onEnd: () => {}, values }, createScope());
      joining.catch(() => {});
      await setup.clock.advance(0);
      return joining;
    };
    const leave = await listen(4);
    await assert.rejects(listen(1), isFeedError('tooMuch'));
    leave();
    await listen(4);
  });
});
