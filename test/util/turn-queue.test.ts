import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TURN_MS, TurnQueue } from '../../src/util/turn-queue.ts';

/** Holds the thread for about as long. */
function spin(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

function* pausing(steps: number, ms: number, onStep: () => void): Generator<undefined, string> {
  for (let step = 0; step < steps; step++) {
    onStep();
    spin(ms);
    yield;
  }
  return 'done';
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('work that ends in time is done at once, until the time of a turn is used up', async () => {
  const turns = new TurnQueue();
  assert.equal(
    turns.run(
      'a',
      pausing(3, 0, () => {}),
    ),
    'done',
  );
  assert.equal(turns.hasTime(), true);
  turns.spend(TURN_MS);
  assert.equal(turns.hasTime(), false);
  const later = turns.run(
    'a',
    pausing(1, 0, () => {}),
  );
  assert.ok(later instanceof Promise);
  assert.equal(await later, 'done');
  await nextTurn();
  await nextTurn();
  assert.equal(turns.hasTime(), true);
});

test('owners take turns, however much each has to do', async () => {
  const turns = new TurnQueue();
  turns.spend(TURN_MS);
  const order: string[] = [];
  const run = (owner: string, steps: number) =>
    turns.run(
      owner,
      pausing(steps, TURN_MS + 0.1, () => order.push(owner)),
    );
  await Promise.all([run('greedy', 6), run('greedy', 6), run('greedy', 6), run('small', 2)]);
  assert.equal(order.length, 20);
  assert.ok(order.slice(0, 4).filter((owner) => owner === 'small').length === 2, order.join());
});

test('between two steps the event loop has its turn', async () => {
  const turns = new TurnQueue();
  turns.spend(TURN_MS);
  let immediates = 0;
  let isOver = false;
  const count = (): void => {
    immediates++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const before: number[] = [];
  await turns.run(
    'a',
    pausing(5, TURN_MS + 0.1, () => before.push(immediates)),
  );
  isOver = true;
  assert.equal(new Set(before).size, 5, before.join());
});

test('pauses are passed in turns too, each as long as it says', async () => {
  const turns = new TurnQueue();
  turns.spend(TURN_MS);
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const passed: number[] = [];
  const wait = (ms: number): Promise<void> => turns.pause('a', ms).then(() => void passed.push(turn));
  await Promise.all([wait(TURN_MS), wait(TURN_MS), wait(TURN_MS)]);
  isOver = true;
  assert.equal(new Set(passed).size, 3, passed.join());
});

test('work that throws, at once or later, fails and lets others go on', async () => {
  const turns = new TurnQueue();
  const broken = (): Iterator<undefined, string> => ({
    next() {
      throw new Error('broken');
    },
  });
  assert.throws(() => turns.run('a', broken()), /broken/);
  turns.spend(TURN_MS);
  const failing = turns.run('a', broken());
  const other = turns.run(
    'a',
    pausing(2, 0, () => {}),
  );
  await assert.rejects(Promise.resolve(failing), /broken/);
  assert.equal(await other, 'done');
  assert.equal(turns.waiting, 0);
});
