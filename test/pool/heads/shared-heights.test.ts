/** Heads of several processes over one table: no process reads a head below one that another has served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainError } from '../../../src/chain/errors.ts';
import { SharedHeights } from '../../../src/pool/heads/shared-heights.ts';
import type { HeightTable } from '../../../src/shared-store/records/height-table.ts';
import { LmdbHeightTable } from '../../../src/shared-store/records/lmdb-height-table.ts';
import { RequestScope } from '../../../src/util/request-scope.ts';
import { makeFolder } from '../../access/key-tables.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** A process whose nodes have a block of this height. */
class Process {
  readonly heights: SharedHeights;
  served = 0n;
  nodes = 0n;
  /** Heights that the process no longer waits for; `again` where it waits again. */
  readonly distrusted: (bigint | 'again')[] = [];
  /** Hook of a refresh of the nodes' heads. */
  onRefresh = (): void => {};

  constructor(table: HeightTable, clock: FakeClock) {
    this.heights = new SharedHeights({
      table,
      name: () => 'chain',
      clock,
      height: () => this.served,
      refresh: async () => this.onRefresh(),
      onAdmitted: () => this.update(),
      onLost: (height) => this.distrusted.push(height),
      onRegained: () => this.distrusted.push('again'),
    });
  }

  hear(height: bigint): void {
    this.nodes = height;
    this.update();
  }

  update(): void {
    const next = this.heights.admits(this.nodes) ? this.nodes : this.heights.admitted;
    if (next === this.served || next < 0n) return;
    this.served = next;
    this.heights.noteServed();
  }
}

test('no process reads below a height that another has served, and a new height is served a lease later', (t) => {
  const clock = new FakeClock();
  const table = new LmdbHeightTable(makeFolder(t), assert.ifError, () => clock.now() + 1_000_000);
  t.after(() => table.close());
  const processes = Array.from({ length: 3 }, () => new Process(table, clock));
  let head = 0n;
  let state = 1;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state % below;
  };
  let read = 0n;
  const counts = { current: 0, behind: 0 };
  for (let step = 0; step < 20_000; step++) {
    const one = processes[random(3)] as Process;
    const event = random(10);
    if (event === 0) one.hear(++head);
    else if (event < 3) one.hear(head);
    else if (event < 5) clock.advanceNow(random(12));
    else if (one.heights.isCurrent(one.served)) {
      counts.current++;
      assert.ok(one.served >= read, `step ${step}: ${one.served} after ${read}`);
      read = one.served;
    } else counts.behind++;
  }
  assert.ok(counts.current > 2_000 && counts.behind > 50, JSON.stringify(counts));
  assert.ok(read + 100n > head, `${read} of ${head}`);
});

test('a request waits for a head that another process serves, refreshes the nodes, and fails at the time limit', async (t) => {
  const clock = new FakeClock();
  const table = new LmdbHeightTable(makeFolder(t), assert.ifError, () => clock.now() + 1_000_000);
  t.after(() => table.close());
  const [ahead, behind] = [new Process(table, clock), new Process(table, clock)];
  ahead.hear(5n);
  assert.equal(ahead.served, 5n);
  assert.equal(behind.heights.isCurrent(0n), false);
  behind.onRefresh = () => behind.hear(5n);
  const caughtUp = behind.heights.catchUp(new RequestScope(Number.POSITIVE_INFINITY));
  await clock.advance(60);
  await caughtUp;
  assert.equal(behind.served, 5n);
  behind.onRefresh = () => {};
  await clock.advance(100);
  ahead.hear(6n);
  await clock.advance(100);
  const late = assert.rejects(
    async () => behind.heights.catchUp(new RequestScope(Number.POSITIVE_INFINITY)),
    (error) => error instanceof ChainError && /another process serves block 6/.test(error.message),
  );
  await clock.advance(3_000);
  await late;
});

test('each process relies on its own nodes while the table is unavailable', () => {
  const clock = new FakeClock();
  const table: HeightTable = { exchange: () => undefined, close: async () => {} };
  const one = new Process(table, clock);
  one.hear(3n);
  assert.equal(one.served, 3n);
  assert.equal(one.heights.isCurrent(1n), true);
});

test('heights that the own nodes do not confirm for 30 s are not awaited until the nodes promptly confirm one', async (t) => {
  const clock = new FakeClock();
  const table = new LmdbHeightTable(makeFolder(t), assert.ifError, () => clock.now() + 1_000_000);
  t.after(() => table.close());
  const [broken, sound] = [new Process(table, clock), new Process(table, clock)];
  const rise = async (): Promise<void> => {
    broken.hear(broken.served + 1n);
    sound.hear(sound.served + 1n);
    await clock.advance(1_000);
  };
  /** Whether a read of the head waits; checks twice, because the first check may only find that its cached answer is stale. */
  const waits = (): boolean => {
    sound.heights.isCurrent(sound.served);
    return !sound.heights.isCurrent(sound.served);
  };
  sound.hear(10n);
  broken.hear(50n);
  await clock.advance(100);
  for (let second = 0; second < 29; second++) {
    assert.ok(waits(), `second ${second}`);
    await rise();
  }
  assert.deepEqual(sound.distrusted, []);
  await rise();
  // Nodes confirm each block 40 s later.
  for (let second = 0; second < 100; second++) {
    assert.ok(!waits(), `second ${second} after`);
    await rise();
  }
  assert.deepEqual(sound.distrusted, [50n]);
  await sound.heights.catchUp(new RequestScope(Number.POSITIVE_INFINITY));
  sound.hear(broken.served);
  await clock.advance(100);
  assert.ok(!waits());
  assert.deepEqual(sound.distrusted, [50n, 'again']);
  broken.hear(broken.served + 1n);
  await clock.advance(100);
  assert.ok(waits());
});

test('a process whose nodes are always one block behind on a fast chain still waits for the shared height', async (t) => {
  const clock = new FakeClock();
  const table = new LmdbHeightTable(makeFolder(t), assert.ifError, () => clock.now() + 1_000_000);
  t.after(() => table.close());
  const [ahead, behind] = [new Process(table, clock), new Process(table, clock)];
  ahead.hear(1n);
  let waited = 0;
  for (let block = 2n; block < 300n; block++) {
    ahead.hear(block);
    await clock.advance(150);
    behind.heights.isCurrent(behind.served);
    if (!behind.heights.isCurrent(behind.served)) waited++;
    behind.hear(block - 1n);
    await clock.advance(150);
  }
  assert.deepEqual(behind.distrusted, []);
  assert.ok(waited > 290, `${waited}`);
});
