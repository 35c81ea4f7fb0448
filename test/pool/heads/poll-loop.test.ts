import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import { PollLoop } from '../../../src/pool/heads/poll-loop.ts';
import { complete, FakeClock } from '../../support/fake-clock.ts';

type Poll = { readonly at: number; resolve(): void; reject(error: Error): void };

function createLoop(interval = 100, maxBackoff = 1_000) {
  const clock = new FakeClock();
  const polls: Poll[] = [];
  const loop = new PollLoop({
    poll: () => new Promise((resolve, reject) => polls.push({ at: clock.now(), resolve, reject })),
    interval: () => interval,
    maxBackoff,
    clock,
  });
  return { clock, polls, loop };
}

test('the first poll is at once, and each further one an interval after the end of the last', async () => {
  const { clock, polls, loop } = createLoop();
  loop.start();
  loop.start();
  await clock.advance(350);
  assert.equal(polls.length, 1, 'a slow poll is not overtaken');
  polls[0]?.resolve();
  await clock.advance(99);
  assert.equal(polls.length, 1);
  await clock.advance(1);
  assert.deepEqual(
    polls.map(({ at }) => at),
    [0, 450],
  );
});

test('pollNow joins a poll in flight, and restarts the interval', async () => {
  const { clock, polls, loop } = createLoop();
  loop.start();
  const first = loop.pollNow();
  const second = loop.pollNow();
  assert.equal(polls.length, 1);
  polls[0]?.resolve();
  await Promise.all([first, second]);
  await clock.advance(50);
  void loop.pollNow();
  assert.equal(polls.length, 2);
  polls[1]?.resolve();
  await clock.advance(99);
  assert.equal(polls.length, 2);
  await clock.advance(1);
  assert.equal(polls.length, 3);
});

test('the delay doubles from the second failure on, up to the bound, and a success resets it', async () => {
  const { clock, polls, loop } = createLoop();
  loop.start();
  const starts: number[] = [];
  for (let i = 0; i < 8; i++) {
    await complete();
    const poll = polls.at(-1);
    starts.push(clock.now());
    poll?.reject(new UpstreamFault('unreachable', 'gone'));
    await complete();
    assert.equal(loop.failures, i + 1);
    while (polls.at(-1) === poll) await clock.advance(50);
  }
  const pauses = starts.slice(1).map((at, i) => at - (starts[i] ?? 0));
  assert.deepEqual(pauses, [100, 200, 400, 800, 1_000, 1_000, 1_000]);
  const count = polls.length;
  polls.at(-1)?.resolve();
  await clock.advance(100);
  assert.equal(loop.failures, 0);
  assert.equal(polls.length, count + 1);
});

test('the retry delay of a rate limit is respected, for a minute at most', async () => {
  const { clock, polls, loop } = createLoop();
  loop.start();
  polls[0]?.reject(new UpstreamFault('rateLimited', 'slower', 5_000));
  await clock.advance(4_999);
  assert.equal(polls.length, 1);
  await clock.advance(1);
  assert.equal(polls.length, 2);
  polls[1]?.reject(new UpstreamFault('rateLimited', 'slower', 1e12));
  await clock.advance(60_000);
  assert.equal(polls.length, 3);
});

test('stop ends the loop, also during a poll', async () => {
  const { clock, polls, loop } = createLoop();
  loop.start();
  loop.stop();
  polls[0]?.resolve();
  await clock.advance(10_000);
  assert.equal(polls.length, 1);
  assert.equal(clock.pending, 0);
  loop.start();
  polls[1]?.resolve();
  await complete();
  loop.stop();
  assert.equal(clock.pending, 0);
});
