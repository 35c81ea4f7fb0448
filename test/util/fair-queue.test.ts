import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FairQueue } from '../../src/util/fair-queue.ts';

const LIMITS = { running: 2, waiting: 4, waitMs: 1_000 };
const HERE = { aborted: false };

/** Enters the queue; `true` for an immediate slot. */
function enter(queue: FairQueue, owner: string, waiter = HERE): boolean | Promise<boolean> {
  if (!queue.hasRoom(owner)) return queue.wait(owner, waiter);
  queue.take(owner);
  return true;
}

/** Enters the queue and logs the outcome. */
function follow(queue: FairQueue, owner: string, log: string[], waiter = HERE): void {
  const turn = enter(queue, owner, waiter);
  const note = (hasSlot: boolean): void => void log.push(`${owner}:${hasSlot}`);
  if (typeof turn === 'boolean') note(turn);
  else void turn.then(note);
}

const complete = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('entries run up to the limit, and owners alternate in the queue', async () => {
  const queue = new FairQueue(LIMITS);
  const log: string[] = [];
  for (const owner of ['a', 'a', 'a', 'a', 'b', 'c']) follow(queue, owner, log);
  assert.deepEqual(log, ['a:true', 'a:true']);
  assert.deepEqual([queue.running, queue.waiting], [2, 4]);
  for (const owner of ['a', 'a', 'a', 'b']) {
    queue.leave(owner);
    await complete();
  }
  assert.deepEqual(log.slice(2), ['a:true', 'b:true', 'c:true', 'a:true']);
  queue.leave('c');
  queue.leave('a');
  assert.deepEqual([queue.running, queue.waiting], [0, 0]);
});

test('a full queue refuses an entry of the longest line, and new entries that would lengthen it', async () => {
  const queue = new FairQueue({ ...LIMITS, running: 1 });
  const log: string[] = [];
  follow(queue, 'a', log);
  for (const owner of ['a', 'a', 'a', 'b']) follow(queue, owner, log);
  follow(queue, 'a', log);
  await complete();
  assert.deepEqual(log, ['a:true', 'a:false']);
  follow(queue, 'c', log);
  await complete();
  assert.deepEqual(log.slice(2), ['a:false']);
  // Queues of two, one and one: none is much longer than the next.
  follow(queue, 'b', log);
  await complete();
  assert.deepEqual(log.slice(3), ['b:false']);
});

test('a cancelled entry gets no slot', async () => {
  const queue = new FairQueue({ ...LIMITS, running: 1 });
  const log: string[] = [];
  const gone = { aborted: false };
  follow(queue, 'a', log);
  follow(queue, 'b', log, gone);
  follow(queue, 'c', log);
  gone.aborted = true;
  queue.leave('a');
  await complete();
  assert.deepEqual(log, ['a:true', 'b:false', 'c:true']);
});

test('an entry with a too long expected wait is refused at once, if the rate is known', async () => {
  const clock = { now: 0 };
  const queue = new FairQueue({ running: 1, waiting: 100, waitMs: 500 }, () => clock.now);
  const log: string[] = [];
  for (let i = 0; i < 20; i++) follow(queue, 'a', log);
  for (let i = 0; i < 12; i++) {
    clock.now += 100;
    queue.leave('a');
    await complete();
  }
  assert.equal(queue.waiting, 7);
  // Eight slots of 100 ms are a too long wait for one owner; the first slot of another owner comes after one of them.
  assert.equal(enter(queue, 'a'), false);
  assert.ok(enter(queue, 'b') instanceof Promise);
  for (const owner of ['a', 'a', 'b', 'a']) {
    queue.leave(owner);
    await complete();
  }
  assert.ok(enter(queue, 'a') instanceof Promise);
});

test('slots that are freed together count separately in the rate', async () => {
  const clock = { now: 0 };
  const queue = new FairQueue({ running: 10, waiting: 1_000, waitMs: 500 }, () => clock.now);
  const log: string[] = [];
  for (let i = 0; i < 100; i++) follow(queue, 'a', log);
  for (let i = 0; i < 6; i++) {
    clock.now += 100;
    queue.leave('a', 10);
    await complete();
  }
  assert.equal(queue.waiting, 30);
  // Thirty times 10 ms.
  assert.ok(enter(queue, 'a') instanceof Promise);
});

test('an entry that was cancelled, or has waited too long, is removed even if no slot is freed', async () => {
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
  queue.leave('a');
  assert.equal(enter(queue, 'd'), true);
});

test('an owner occupies no more than its share, and others do not wait behind it', async () => {
  const queue = new FairQueue({ running: 8, ownerShare: 0.5, waiting: 100, waitMs: 1_000 });
  const log: string[] = [];
  for (let i = 0; i < 20; i++) follow(queue, 'a', log);
  assert.deepEqual([queue.running, queue.waiting], [4, 16]);
  for (const owner of ['b', 'b', 'c']) follow(queue, owner, log);
  assert.deepEqual(log.slice(4), ['b:true', 'b:true', 'c:true']);
  // 7 of 8 slots are in use: the freed slot does not go to `a`, which has more than are free.
  queue.leave('c');
  await complete();
  assert.deepEqual([queue.running, queue.waiting, log.length], [6, 16, 7]);
  queue.leave('b');
  queue.leave('b');
  queue.leave('a');
  await complete();
  assert.deepEqual([queue.running, queue.waiting, log.at(-1)], [4, 15, 'a:true']);
});

test('slots stay within the limit, no entry waits while its owner has room, and every wait ends', async () => {
  const owners = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 80 });
  const shares = fc.constantFrom(0.3, 0.5, 1);
  await fc.assert(
    fc.asyncProperty(owners, shares, async (steps, ownerShare) => {
      const limits = { ...LIMITS, running: 4, ownerShare };
      const queue = new FairQueue(limits);
      const running: string[] = [];
      const open: string[] = [];
      for (const [owner, isEntering] of steps) {
        if (isEntering) {
          open.push(owner);
          void Promise.resolve(enter(queue, owner)).then((hasSlot) => {
            open.splice(open.indexOf(owner), 1);
            if (hasSlot) running.push(owner);
          });
        } else if (running.includes(owner)) {
          running.splice(running.indexOf(owner), 1);
          queue.leave(owner);
        }
        await complete();
        assert.equal(queue.running, running.length);
        assert.ok(running.length <= limits.running);
        assert.equal(queue.waiting, open.length);
        assert.ok(open.length <= limits.waiting);
        for (const waiting of open) assert.ok(!queue.hasRoom(waiting));
      }
      for (let owner = running.shift(); owner !== undefined; owner = running.shift()) {
        queue.leave(owner);
        await complete();
      }
      assert.deepEqual([open.length, queue.running, queue.waiting], [0, 0, 0]);
    }),
  );
});
