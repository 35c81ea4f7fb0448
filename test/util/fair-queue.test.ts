import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FairQueue } from '../../src/util/fair-queue.ts';

const LIMITS = { running: 2, waiting: 4, waitMs: 1_000 };
const HERE = { aborted: false };

/** Enters and notes what comes of it. */
function follow(queue: FairQueue, owner: string, log: string[], waiter = HERE): void {
  const turn = queue.enter(owner, waiter);
  const note = (isTurn: boolean): void => void log.push(`${owner}:${isTurn}`);
  if (typeof turn === 'boolean') note(turn);
  else void turn.then(note);
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('as many as may run at once do, owners take turns behind them', async () => {
  const queue = new FairQueue(LIMITS);
  const log: string[] = [];
  for (const owner of ['a', 'a', 'a', 'a', 'b', 'c']) follow(queue, owner, log);
  assert.deepEqual(log, ['a:true', 'a:true']);
  assert.deepEqual([queue.running, queue.waiting], [2, 4]);
  for (let i = 0; i < 4; i++) {
    queue.leave();
    await settle();
  }
  assert.deepEqual(log.slice(2), ['a:true', 'b:true', 'c:true', 'a:true']);
  queue.leave();
  queue.leave();
  assert.deepEqual([queue.running, queue.waiting], [0, 0]);
});

test('without room the longest line gives way, and who makes it longer is turned away', async () => {
  const queue = new FairQueue({ ...LIMITS, running: 1 });
  const log: string[] = [];
  follow(queue, 'a', log);
  for (const owner of ['a', 'a', 'a', 'b']) follow(queue, owner, log);
  follow(queue, 'a', log);
  await settle();
  assert.deepEqual(log, ['a:true', 'a:false']);
  follow(queue, 'c', log);
  await settle();
  assert.deepEqual(log.slice(2), ['a:false']);
  // Lines of two, one and one: nobody has much more than the next.
  follow(queue, 'b', log);
  await settle();
  assert.deepEqual(log.slice(3), ['b:false']);
});

test('whoever has gone does not get a turn', async () => {
  const queue = new FairQueue({ ...LIMITS, running: 1 });
  const log: string[] = [];
  const gone = { aborted: false };
  follow(queue, 'a', log);
  follow(queue, 'b', log, gone);
  follow(queue, 'c', log);
  gone.aborted = true;
  queue.leave();
  await settle();
  assert.deepEqual(log, ['a:true', 'b:false', 'c:true']);
});

test('who would have to wait too long is told at once, as far as the pace is known', async () => {
  const clock = { now: 0 };
  const queue = new FairQueue({ running: 1, waiting: 100, waitMs: 500 }, () => clock.now);
  const log: string[] = [];
  for (let i = 0; i < 20; i++) follow(queue, 'a', log);
  for (let i = 0; i < 12; i++) {
    clock.now += 100;
    queue.leave();
    await settle();
  }
  assert.equal(queue.waiting, 7);
  // Eight times 100 ms are too long for the one, one turn of the other goes before the first of another.
  assert.equal(queue.enter('a', HERE), false);
  assert.ok(queue.enter('b', HERE) instanceof Promise);
  for (let i = 0; i < 4; i++) {
    queue.leave();
    await settle();
  }
  assert.ok(queue.enter('a', HERE) instanceof Promise);
});

test('who has gone, or has waited for too long, is let go although nothing ends', async () => {
  const clock = { now: 0 };
  const queue = new FairQueue({ ...LIMITS, running: 1 }, () => clock.now);
  const log: string[] = [];
  const gone = { aborted: false };
  follow(queue, 'a', log);
  follow(queue, 'b', log, gone);
  follow(queue, 'c', log);
  gone.aborted = true;
  const until = async (count: number): Promise<void> => {
    while (log.length < count) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await until(2);
  assert.deepEqual([log[1], queue.waiting], ['b:false', 1]);
  clock.now = 1_000;
  await until(3);
  assert.deepEqual([log[2], queue.waiting], ['c:false', 0]);
  queue.leave();
  assert.equal(queue.enter('d', HERE), true);
});

test('turns are never more than may run, and nobody waits without end', async () => {
  const owners = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(owners, async (steps) => {
      const queue = new FairQueue(LIMITS);
      let [running, open] = [0, 0];
      for (const [owner, isEntering] of steps) {
        if (isEntering) {
          open++;
          void Promise.resolve(queue.enter(owner, HERE)).then((isTurn) => {
            open--;
            if (isTurn) running++;
          });
        } else if (running > 0) {
          running--;
          queue.leave();
        }
        await settle();
        assert.equal(queue.running, running);
        assert.ok(running <= LIMITS.running);
        assert.equal(queue.waiting, open);
        assert.ok(open <= LIMITS.waiting);
      }
      for (; running > 0; await settle()) {
        running--;
        queue.leave();
      }
      assert.deepEqual([open, queue.running, queue.waiting], [0, 0, 0]);
    }),
  );
});
