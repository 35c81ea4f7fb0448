import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { QuietWatch } from '../../src/cli/spare-memory.ts';

const MODULE = new URL('../../src/cli/heap-settings.js', import.meta.url).href;
const MB = 1024 * 1024;

/** Looks at a process that is as busy, and has so many megabytes resident. @returns the looks after which a collection is due */
function listDue(looks: readonly (readonly [busy: number, megabytes: number])[]): readonly number[] {
  const watch = new QuietWatch();
  return looks.flatMap(([busy, megabytes], at) => (watch.look(busy, megabytes * MB) ? [at] : []));
}

test('memory is given back once, behind two looks at a process with little to do', () => {
  assert.deepEqual(
    listDue([
      [0.9, 150],
      [0.001, 150],
      [0.001, 150],
      [0.001, 100],
      [0.001, 101],
      [0.001, 107],
    ]),
    [2],
  );
});

test('memory is given back again when as much has become resident since, counted from the least', () => {
  assert.deepEqual(
    listDue([
      [0, 150],
      [0, 150],
      [0, 100],
      [0, 107],
      [0, 109],
      [0, 109],
    ]),
    [1, 4],
  );
});

test('a process that has something to do keeps its memory', () => {
  const busy = Array.from({ length: 20 }, (_, at) => [at % 2 === 0 ? 0.02 : 0, 150 + 10 * at] as const);
  assert.deepEqual(listDue(busy), []);
});

/** Leaves 80 MB of garbage in the old generation, begins a collection in a turn, and prints what was in the heap and what the collection left. */
const LEAVE = `
  const { setFlagsFromString } = await import('node:v8');
  const { runInNewContext } = await import('node:vm');
  const { boundOldGeneration, boundYoungGeneration, beginSparingCollection } = await import(${JSON.stringify(MODULE)});
  boundYoungGeneration();
  boundOldGeneration();
  let kept = Array.from({ length: 64_000 }, (_, at) => new Array(128).fill(at));
  // So that no other collection has begun.
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  setFlagsFromString('--no-expose-gc');
  await new Promise((resolve) => setTimeout(resolve, 100));
  // V8 begins when some room is used up since the last one.
  kept.push(...Array.from({ length: 16_000 }, (_, at) => new Array(128).fill(at)));
  kept = kept.slice(-1_000);
  const before = process.memoryUsage().heapTotal;
  beginSparingCollection();
  const begun = process.memoryUsage().heapTotal;
  let after = begun;
  for (let waits = 0; waits < 400 && after > before / 4; waits++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    after = process.memoryUsage().heapTotal;
  }
  console.log(JSON.stringify({ before, begun, after, kept: kept.length, exposed: runInNewContext('typeof gc') }));
`;

test('a collection begins without a pause for all of it, and gives memory back', () => {
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', LEAVE], { encoding: 'utf8' });
  const { before, begun, after, kept, exposed } = JSON.parse(text);
  assert.ok(before > 60 * MB, `${before} bytes before`);
  assert.ok(begun > 0.9 * before, `${begun} bytes when it had begun`);
  assert.ok(after < before / 4, `${after} of ${before} bytes`);
  assert.equal(kept, 1_000);
  assert.equal(exposed, 'undefined');
});
