/** Short forms of the soak bench and of the bench of pauses, and the criteria of their verdicts. */
import assert from 'node:assert/strict';
import { constants } from 'node:perf_hooks';
import { test } from 'node:test';
import { runBench } from '../support/run-bench.ts';

// Benches are built after the tests, whose files they use, so their modules are resolved at run time.
const SUPPORT = new URL('../../bench/support/', import.meta.url).href;
const { isMet } = await import(`${SUPPORT}figures.js`);
const { explainPause } = await import(`${SUPPORT}pauses/causes.js`);
const { Profile } = await import(`${SUPPORT}pauses/profile.js`);
const { judgeSoak } = await import(`${SUPPORT}soak/verdict.js`);

type NamedFigure = { readonly name: string };

const SAMPLE = {
  anonymous: 100,
  heap: 50,
  external: 10,
  arrayBuffers: 5,
  handles: 30,
  delayP99: 1,
  delayMax: 7,
  cpuSeconds: 0,
  waitedSeconds: 0,
};

/** Lists the names of the targets that 60 samples with these megabytes miss. */
function listMissed(megabytesAt: (row: number) => number, failed = 0): string[] {
  const samples = Array.from({ length: 60 }, (_, row) => ({ ...SAMPLE, anonymous: megabytesAt(row) }));
  return judgeSoak(samples, failed)
    .filter((figure: NamedFigure) => !isMet(figure))
    .map(({ name }: NamedFigure) => name);
}

test('the soak verdict checks the memory at the marks, the highest memory and the failures', () => {
  assert.deepEqual(
    listMissed(() => 100),
    [],
  );
  // Ten minutes of the high rate may take more, as long as the memory is released.
  assert.deepEqual(
    listMissed((row) => (row >= 15 && row < 25 ? 149 : 100)),
    [],
  );
  assert.deepEqual(
    listMissed((row) => (row >= 15 && row < 25 ? 151 : 100)),
    ['highest RssAnon'],
  );
  assert.deepEqual(
    listMissed((row) => 100 + row / 6),
    ['spread of RssAnon at the marks'],
  );
  assert.deepEqual(
    listMissed(() => 100, 1),
    ['failed'],
  );
});

/** Creates a profile of the call stack `path`, with a sample every millisecond. */
function profileOf(path: readonly string[]): unknown {
  const names = ['(root)', ...path];
  const nodes = names.map((functionName, id) => ({
    id,
    callFrame: { functionName, url: functionName.startsWith('(') ? '' : 'file:///a.js', lineNumber: 0 },
    children: id + 1 < names.length ? [id + 1] : [],
  }));
  const samples = Array.from({ length: 20 }, () => names.length - 1);
  return new Profile(JSON.stringify({ nodes, startTime: 0, samples, timeDeltas: samples.map(() => 1_000) }));
}

test('explainPause attributes a pause to one cause', () => {
  const own = { from: 1_000, to: 11_000, ran: 9_500, waited: 0 };
  const [young, old] = [constants.NODE_PERFORMANCE_GC_MINOR, constants.NODE_PERFORMANCE_GC_MAJOR];
  const work = profileOf(['onRead', 'parse']);
  const causeOf = (...args: readonly unknown[]): string => explainPause(...args).cause;
  assert.equal(causeOf(own, [], work), 'requests and answers');
  assert.equal(causeOf({ ...own, ran: 2_000, waited: 8_000 }, [], work), 'the machine');
  const collected = { from: 2_000, to: 9_000 };
  assert.equal(causeOf(own, [{ ...collected, kind: young }], work), 'collection of the young generation');
  assert.equal(causeOf(own, [{ ...collected, kind: old }], work), 'collection of the old generation');
  // A collection that ended before the pause does not explain it.
  assert.equal(causeOf(own, [{ from: 0, to: 1_000, kind: old }], work), 'requests and answers');
  assert.equal(causeOf(own, [], profileOf(['listOnTimeout', 'poll'])), 'timer');
  assert.equal(causeOf(own, [], profileOf(['processImmediate', 'run'])), 'immediate');
  assert.equal(causeOf(own, [], profileOf(['onRead', 'flushSync'])), 'log');
  assert.equal(causeOf(own, [], profileOf(['(program)'])), 'compilation or native code');
});

test('bench soak prints its rows and its verdict', async () => {
  const output = await runBench('soak', ['--minutes', '0.1', '--nodes', 'prepared'], {});
  assert.match(output, /stand-in nodes/);
  assert.equal(output.split('\n').filter((line) => /^ +0\.\d+ +300?0? /.test(line)).length, 60);
  assert.match(output, /^\d+ notifications, \d+ polls of filters$/m);
  assert.match(output, /RssAnon at the marks \d+ MB, then \d+ MB, then \d+ MB, spread/);
});

test('bench pauses reports the work of the main thread', async () => {
  const args = ['--minutes', '0.05', '--rate', '200', '--nodes', 'prepared'];
  const output = await runBench('pauses', args, {});
  assert.match(output, /^pause ms +own CPU +waited +young +old +cause/m);
  assert.match(output, /longest pause [\d.]+ ms, longest by own CPU time [\d.]+ ms/);
});
