import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChainError } from '../../../../src/chain/errors.ts';
import { type FinishedJob, JobRounds } from '../../../../src/chains/embedded/execution/job-rounds.ts';
import { runSlice } from '../../../../src/chains/embedded/execution/run-slice.ts';
import type { Execution } from '../../../../src/chains/embedded/simulation/execution.ts';

/** Work of a number of slices; records its steps in `trace`. */
function* createWork(name: string, slices: number, trace: string[]): Execution<string> {
  try {
    for (let i = 1; i < slices; i++) {
      trace.push(`${name}${i}`);
      yield 'longStepAhead';
    }
    trace.push(`${name}${slices}`);
    return name;
  } finally {
    trace.push(`${name} free`);
  }
}

function runAll(rounds: JobRounds): FinishedJob[] {
  const finished: FinishedJob[] = [];
  while (rounds.size > 0) {
    const job = rounds.runNext();
    if (job !== undefined) finished.push(job);
  }
  return finished;
}

/** A clock that stands still, so that every slice counts the same. */
const STOPPED = (): number => 0;

describe('job rounds', () => {
  const finishedIds = (rounds: JobRounds): number[] => runAll(rounds).map(({ id }) => id);
  const ran = (trace: readonly string[]): string[] => trace.filter((entry) => !entry.endsWith('free'));

  test('each job of an owner gets a slice in turn', () => {
    const trace: string[] = [];
    const rounds = new JobRounds(STOPPED);
    for (const [id, name] of ['a', 'b', 'c'].entries()) rounds.add(id, 'x', createWork(name, 4 + id, trace));
    const finished = runAll(rounds);
    // First slices of new jobs alternate with the next slices of the others.
    const begun = ['a1', 'a2', 'b1', 'a3', 'c1'];
    assert.deepEqual(trace.slice(0, 5), begun);
    assert.deepEqual(trace.slice(5, 11), ['b2', 'a4', 'a free', 'c2', 'b3', 'c3']);
    assert.deepEqual(trace.slice(11), ['b4', 'c4', 'b5', 'b free', 'c5', 'c6', 'c free']);
    assert.deepEqual(finished, [
      { id: 0, outcome: { result: 'a' }, ms: 0 },
      { id: 1, outcome: { result: 'b' }, ms: 0 },
      { id: 2, outcome: { result: 'c' }, ms: 0 },
    ]);
    assert.equal(rounds.runNext(), undefined);
  });

  test('a finished job reports the time of all its slices', () => {
    let now = 0;
    const rounds = new JobRounds(() => now++);
    rounds.add(1, 'x', createWork('a', 3, []));
    rounds.add(2, 'x', createWork('b', 1, []));
    const [short, long] = runAll(rounds);
    assert.ok(short !== undefined && long !== undefined && short.ms > 0);
    assert.deepEqual([short.id, long.id], [2, 1]);
    assert.ok(long.ms > short.ms, `${long.ms} and ${short.ms}`);
  });

  test('every other slice of an owner goes to a new job', () => {
    const trace: string[] = [];
    const rounds = new JobRounds(STOPPED);
    for (const [id, name] of ['a', 'b'].entries()) rounds.add(id, 'x', createWork(name, 9, trace));
    while (!trace.includes('b2')) rounds.runNext();
    trace.length = 0;
    for (const [i, name] of ['x', 'y', 'z'].entries()) rounds.add(10 + i, 'x', createWork(name, 1, trace));
    for (let i = 0; i < 6; i++) rounds.runNext();
    assert.deepEqual(ran(trace), ['x1', 'a4', 'y1', 'b3', 'z1', 'a5']);
  });

  test('owners share the slices, however many jobs each has', () => {
    const trace: string[] = [];
    const rounds = new JobRounds(STOPPED);
    for (let id = 0; id < 10; id++) rounds.add(id, 'greedy', createWork('g', 99, trace));
    for (let i = 0; i < 40; i++) rounds.runNext();
    rounds.add(10, 'neighbour', createWork('n', 20, trace));
    trace.length = 0;
    while (rounds.size > 10) rounds.runNext();
    const others = ran(trace).filter((entry) => entry.startsWith('g'));
    // The new job gets the next slice; then jobs alternate.
    assert.equal(trace[0], 'n1');
    assert.ok(others.length >= 18 && others.length <= 20, `${others.length} slices beside 20`);
  });

  test('owners share the time, however long their slices are', () => {
    let now = 0;
    const used = new Map<string, number>();
    const rounds = new JobRounds(() => now);
    const work = function* (owner: string, ms: number): Execution<string> {
      while (true) {
        now += ms;
        used.set(owner, (used.get(owner) ?? 0) + ms);
        yield 'longStepAhead';
      }
    };
    for (let id = 0; id < 10; id++) rounds.add(id, 'long', work('long', 10));
    rounds.add(10, 'short', work('short', 1));
    rounds.add(11, 'other', work('other', 2));
    while (now < 3_000) rounds.runNext();
    for (const owner of ['long', 'short', 'other'])
      assert.ok(
        Math.abs((used.get(owner) as number) - 1_000) <= 15,
        `${owner} has had ${used.get(owner)} ms`,
      );
  });

  test('a stream of short jobs takes no more than its owner’s share', () => {
    let now = 0;
    let endless = 0;
    const rounds = new JobRounds(() => now);
    const work = function* (slices: number): Execution<string> {
      for (let i = 0; i < slices; i++) {
        now += 2;
        if (slices > 1) endless += 2;
        yield 'longStepAhead';
      }
      return '';
    };
    rounds.add(0, 'patient', work(10_000));
    for (let id = 1; now < 4_000; id++) {
      if (rounds.size < 5) rounds.add(id, 'stream', work(1));
      rounds.runNext();
    }
    assert.ok(endless >= 1_800, `${endless} ms of 4,000`);
  });

  test('a cancelled job releases its resources, started or not, and is reported once', () => {
    const trace: string[] = [];
    const rounds = new JobRounds(STOPPED);
    for (const [id, name] of ['a', 'b', 'c'].entries()) rounds.add(id, 'x', createWork(name, 3, trace));
    rounds.runNext();
    assert.equal(rounds.cancel(0)?.id, 0);
    assert.equal(rounds.cancel(2)?.id, 2);
    assert.equal(rounds.cancel(2), undefined);
    assert.equal(rounds.cancel(7), undefined);
    assert.deepEqual(trace, ['a1', 'a free']);
    assert.deepEqual(finishedIds(rounds), [1]);
  });

  test('a cancelled job with a long cleanup runs it in its slices, and is then reported', () => {
    const trace: string[] = [];
    const rounds = new JobRounds(STOPPED);
    const work = function* (): Execution<string> {
      try {
        while (true) yield 'longStepAhead';
      } finally {
        for (let i = 1; i <= 3; i++) {
          trace.push(`undo ${i}`);
          yield 'longStepAhead';
        }
      }
    };
    rounds.add(1, 'x', work());
    rounds.add(2, 'y', createWork('y', 2, trace));
    rounds.runNext();
    assert.equal(rounds.cancel(1), undefined);
    assert.equal(rounds.size, 2);
    assert.deepEqual(finishedIds(rounds), [2, 1]);
    assert.deepEqual(ran(trace), ['undo 1', 'y1', 'undo 2', 'y2', 'undo 3']);
  });

  test('a failure affects only its own job', () => {
    const rounds = new JobRounds();
    const fail = function* (error: Error): Execution<string> {
      yield 'sliceUsed';
      throw error;
    };
    rounds.add(1, 'x', fail(new ChainError('reverted', 'execution reverted', '0x01')));
    rounds.add(2, 'x', fail(new ChainError('failed', 'out of gas')));
    rounds.add(3, 'x', fail(new TypeError('a fault')));
    rounds.add(4, 'x', createWork('d', 2, []));
    const outcomes = new Map(runAll(rounds).map(({ id, outcome }) => [id, outcome]));
    assert.deepEqual(outcomes.get(1), {
      error: { kind: 'reverted', message: 'execution reverted', data: '0x01' },
    });
    assert.deepEqual(outcomes.get(2), { error: { kind: 'failed', message: 'out of gas' } });
    assert.match((outcomes.get(3) as { fault: string }).fault, /TypeError: a fault/);
    assert.deepEqual(outcomes.get(4), { result: 'd' });
  });

  test('runSlice ends at its deadline, or where the work pauses', () => {
    let pieces = 0;
    const endless = (function* (): Execution<string> {
      while (true) {
        pieces++;
        yield 'sliceUsed';
      }
    })();
    assert.deepEqual(runSlice(endless, performance.now()), { done: false, value: 'sliceUsed' });
    assert.equal(pieces, 1);
    // The deadline is far away: the pause comes from the work itself.
    const pausing = createWork('a', 2, []);
    assert.deepEqual(runSlice(pausing, performance.now() + 60_000), { done: false, value: 'longStepAhead' });
    assert.deepEqual(runSlice(pausing, performance.now() + 60_000), { done: true, value: 'a' });
  });
});
