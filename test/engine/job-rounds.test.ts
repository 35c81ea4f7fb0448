import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChainError } from '../../src/chain/errors.ts';
import { type FinishedJob, JobRounds } from '../../src/engine/execution/job-rounds.ts';
import { runSlice } from '../../src/engine/execution/run-slice.ts';
import type { Execution } from '../../src/engine/simulation/execution.ts';

/** Work of so many slices; tells what it does. */
function* createWork(name: string, slices: number, told: string[]): Execution<string> {
  try {
    for (let i = 1; i < slices; i++) {
      told.push(`${name}${i}`);
      yield 'longStepAhead';
    }
    told.push(`${name}${slices}`);
    return name;
  } finally {
    told.push(`${name} free`);
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

describe('job rounds', () => {
  test('each job has a slice in turn', () => {
    const told: string[] = [];
    const rounds = new JobRounds();
    for (const [id, name] of ['a', 'b', 'c'].entries()) rounds.add(id, createWork(name, 4 + id, told));
    const finished = runAll(rounds);
    // The first slices of those that have just come take turns with the others' next ones.
    const begun = ['a1', 'a2', 'b1', 'a3', 'c1'];
    assert.deepEqual(told.slice(0, 5), begun);
    assert.deepEqual(told.slice(5, 11), ['b2', 'a4', 'a free', 'c2', 'b3', 'c3']);
    assert.deepEqual(told.slice(11), ['b4', 'c4', 'b5', 'b free', 'c5', 'c6', 'c free']);
    assert.deepEqual(finished, [
      { id: 0, outcome: { result: 'a' } },
      { id: 1, outcome: { result: 'b' } },
      { id: 2, outcome: { result: 'c' } },
    ]);
    assert.equal(rounds.runNext(), undefined);
  });

  test('every other slice is for one that has just come', () => {
    const told: string[] = [];
    const rounds = new JobRounds();
    for (const [id, name] of ['a', 'b'].entries()) rounds.add(id, createWork(name, 9, told));
    while (!told.includes('b2')) rounds.runNext();
    told.length = 0;
    for (const [i, name] of ['x', 'y', 'z'].entries()) rounds.add(10 + i, createWork(name, 1, told));
    for (let i = 0; i < 6; i++) rounds.runNext();
    assert.deepEqual(
      told.filter((entry) => !entry.endsWith('free')),
      ['x1', 'a4', 'y1', 'b3', 'z1', 'a5'],
    );
  });

  test('a cancelled job frees what it holds, begun or not, and is not heard of again', () => {
    const told: string[] = [];
    const rounds = new JobRounds();
    for (const [id, name] of ['a', 'b', 'c'].entries()) rounds.add(id, createWork(name, 3, told));
    rounds.runNext();
    rounds.cancel(0);
    rounds.cancel(2);
    rounds.cancel(7);
    assert.deepEqual(told, ['a1', 'a free']);
    assert.deepEqual(
      runAll(rounds).map(({ id }) => id),
      [1],
    );
  });

  test('a failure is its own job’s only', () => {
    const rounds = new JobRounds();
    const fail = function* (error: Error): Execution<string> {
      yield 'sliceUsed';
      throw error;
    };
    rounds.add(1, fail(new ChainError('reverted', 'execution reverted', '0x01')));
    rounds.add(2, fail(new ChainError('failed', 'out of gas')));
    rounds.add(3, fail(new TypeError('a fault')));
    rounds.add(4, createWork('d', 2, []));
    const outcomes = new Map(runAll(rounds).map(({ id, outcome }) => [id, outcome]));
    assert.deepEqual(outcomes.get(1), {
      error: { kind: 'reverted', message: 'execution reverted', data: '0x01' },
    });
    assert.deepEqual(outcomes.get(2), { error: { kind: 'failed', message: 'out of gas' } });
    assert.match((outcomes.get(3) as { fault: string }).fault, /TypeError: a fault/);
    assert.deepEqual(outcomes.get(4), { result: 'd' });
  });

  test('a slice lasts until its time is over', () => {
    let pieces = 0;
    const endless = (function* (): Execution<string> {
      while (true) {
        pieces++;
        yield 'sliceUsed';
      }
    })();
    assert.deepEqual(runSlice(endless, performance.now()), { done: false, value: 'sliceUsed' });
    assert.equal(pieces, 1);
    // Far from over: what ends it is the work itself.
    const pausing = createWork('a', 2, []);
    assert.deepEqual(runSlice(pausing, performance.now() + 60_000), { done: false, value: 'longStepAhead' });
    assert.deepEqual(runSlice(pausing, performance.now() + 60_000), { done: true, value: 'a' });
  });
});
