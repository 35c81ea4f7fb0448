import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SLOT_MS, SlotScheduler } from '../../src/util/slot-scheduler.ts';
import { spin, watchTurns } from '../support/watch-turns.ts';

function* pausing(steps: number, ms: number, onStep: () => void): Generator<undefined, string> {
  for (let step = 0; step < steps; step++) {
    onStep();
    spin(ms);
    yield;
  }
  return 'done';
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('work that completes in time runs at once, until the time of a turn is used up', async () => {
  // A clock that stands: a busy machine could use up the time of the turn.
  const slots = new SlotScheduler(() => 0);
  assert.equal(
    slots.run(
      'a',
      pausing(3, 0, () => {}),
    ),
    'done',
  );
  assert.equal(slots.hasTime('a'), true);
  slots.spend(SLOT_MS);
  assert.equal(slots.hasTime('a'), false);
  const later = slots.run(
    'a',
    pausing(1, 0, () => {}),
  );
  assert.ok(later instanceof Promise);
  assert.equal(await later, 'done');
  await nextTurn();
  await nextTurn();
  assert.equal(slots.hasTime('a'), true);
});

/** Runs works of owners, each with this many steps of this many milliseconds. @returns the owners of the steps, in order */
async function orderOf(
  ...works: readonly (readonly [owner: string, steps: number, ms: number])[]
): Promise<string> {
  let now = 0;
  const slots = new SlotScheduler(() => now);
  slots.spend(SLOT_MS);
  let order = '';
  const work = function* (owner: string, steps: number, ms: number): Generator<undefined, void> {
    for (let step = 0; step < steps; step++) {
      order += owner;
      now += ms;
      yield;
    }
  };
  await Promise.all(works.map(([owner, steps, ms]) => slots.run(owner, work(owner, steps, ms))));
  return order;
}

test('owners alternate, however much work each has', async () => {
  const much = ['g', 6, SLOT_MS] as const;
  assert.equal(await orderOf(much, much, much, ['s', 2, SLOT_MS]), `gsgs${'g'.repeat(16)}`);
});

test('owners share time, however long their steps are', async () => {
  assert.equal(await orderOf(['l', 3, 5 * SLOT_MS], ['s', 12, SLOT_MS]), 'lssssslssssslss');
});

test('a new owner goes first, however many wait', async () => {
  const works = Array.from({ length: 20 }, (_, at) => [String.fromCharCode(97 + at), 3, SLOT_MS] as const);
  let now = 0;
  const slots = new SlotScheduler(() => now);
  slots.spend(SLOT_MS);
  const seen: string[] = [];
  const enter = (owner: string, steps: number, ms: number): void =>
    slots.enter(owner, () => {
      seen.push(owner);
      now += ms;
      if (steps > 1) enter(owner, steps - 1, ms);
      if (seen.length === 30) enter('new', 1, ms);
    });
  for (const work of works) enter(...work);
  while (slots.waiting > 0) await nextTurn();
  assert.equal(seen.length, 61);
  assert.equal(seen.indexOf('new'), 30);
});

test('the event loop runs between two steps', async () => {
  const slots = new SlotScheduler();
  slots.spend(SLOT_MS);
  let immediates = 0;
  let isOver = false;
  const count = (): void => {
    immediates++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const before: number[] = [];
  await slots.run(
    'a',
    pausing(5, SLOT_MS + 0.1, () => before.push(immediates)),
  );
  isOver = true;
  assert.equal(new Set(before).size, 5, before.join());
});

test('pauses occupy scheduler slots too, each for its duration', async () => {
  const slots = new SlotScheduler();
  slots.spend(SLOT_MS);
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const passed: number[] = [];
  const wait = (ms: number): Promise<void> => slots.pause('a', ms).then(() => void passed.push(turn));
  await Promise.all([wait(SLOT_MS), wait(SLOT_MS), wait(SLOT_MS)]);
  isOver = true;
  assert.equal(new Set(passed).size, 3, passed.join());
});

test('steps get half of the time while connections arrive', async () => {
  let now = 0;
  const slots = new SlotScheduler(() => now);
  const seen: string[] = [];
  const work = function* (): Generator<undefined, void> {
    for (let step = 0; step < 3; step++) {
      seen.push('step');
      now += SLOT_MS;
      yield;
    }
  };
  slots.noteConnection();
  assert.equal(slots.hasTime('a'), true);
  const done = slots.run('a', work());
  let isOver = false;
  const accept = (): void => {
    if (isOver) return;
    slots.noteConnection();
    seen.push('connection');
    now += SLOT_MS / 4;
    setImmediate(accept);
  };
  accept();
  await done;
  isOver = true;
  const steps = seen.flatMap((what, at) => (what === 'step' ? [at] : []));
  assert.equal(steps.length, 3);
  for (const [index, at] of steps.slice(1).entries()) assert.ok(at - (steps[index] ?? 0) > 3, seen.join());
});

test('work that throws, at once or later, fails alone', async () => {
  const slots = new SlotScheduler();
  const broken = (): Iterator<undefined, string> => ({
    next() {
      throw new Error('broken');
    },
  });
  assert.throws(() => slots.run('a', broken()), /broken/);
  slots.spend(SLOT_MS);
  const failing = slots.run('a', broken());
  const other = slots.run(
    'a',
    pausing(2, 0, () => {}),
  );
  await assert.rejects(Promise.resolve(failing), /broken/);
  assert.equal(await other, 'done');
  assert.equal(slots.waiting, 0);
});

test('work that waits for one promise is spread over several turns', async () => {
  const slots = new SlotScheduler();
  const watch = watchTurns();
  let found = (_: number): void => {};
  const value = new Promise<number>((resolve) => {
    found = resolve;
  });
  const all = Array.from({ length: 12 }, (_, at) =>
    slots.follow(`owner ${at % 3}`, value, (one) => {
      watch.note();
      spin(SLOT_MS + 0.1);
      return one + at;
    }),
  );
  found(100);
  assert.deepEqual(
    await Promise.all(all),
    Array.from({ length: 12 }, (_, at) => 100 + at),
  );
  // The first one runs at once, at the end of a turn of the event loop.
  assert.ok(watch.end() <= 2, String(watch.end()));
  assert.equal(
    slots.follow('a', 1, (one) => one + 1),
    2,
  );
  const failed = slots.follow('a', value, () => assert.fail('as it is'));
  await assert.rejects(async () => failed, { message: 'as it is' });
});

test('continuations after several promises run one by one, if each takes a whole turn', async () => {
  const slots = new SlotScheduler();
  const watch = watchTurns();
  const goOn = async (owner: string): Promise<void> => {
    await slots.rejoin(owner);
    await Promise.resolve();
    await new Promise((resolve) => queueMicrotask(() => resolve(undefined)));
    watch.note();
    spin(SLOT_MS + 0.1);
  };
  await Promise.all(Array.from({ length: 10 }, (_, at) => goOn(`owner ${at % 2}`)));
  assert.equal(watch.end(), 1);
});

test('short continuations share a turn', async () => {
  let now = 0;
  const slots = new SlotScheduler(() => now);
  const watch = watchTurns();
  const goOn = async (): Promise<void> => {
    await slots.rejoin('a');
    watch.note();
    now += SLOT_MS / 4;
  };
  await Promise.all(Array.from({ length: 12 }, goOn));
  assert.equal(watch.end(), 4);
});

test('nested work runs at once if the outer work has time left', async () => {
  let now = 0;
  const slots = new SlotScheduler(() => now);
  const order: string[] = [];
  const inner = (): void => void order.push('inner');
  const outer = (ms: number) => (): void | Promise<void> => {
    now += ms;
    const within = slots.take('a', inner);
    order.push('outer');
    return within;
  };
  await slots.take('a', outer(SLOT_MS / 2));
  assert.deepEqual(order.splice(0), ['inner', 'outer']);
  await nextTurn();
  await slots.take('a', outer(SLOT_MS));
  assert.deepEqual(order, ['outer', 'inner']);
});
