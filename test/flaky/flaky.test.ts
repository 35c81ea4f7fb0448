import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { findRandomTests } from './find-random-tests.ts';
import { runTestFile } from './repeat-file.ts';

describe('the check for flaky tests', () => {
  const folder = makeTemporaryFolder();
  after(() => folder.remove());
  const write = (path: string, source: string): string => {
    const file = join(folder.path, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, source);
    return file;
  };

  test('finds tests with random input by their text and by their imports', () => {
    write('found/a.test.ts', `import fc from 'fast-check';`);
    write('found/b.test.ts', `import { draw } from './draw.ts';`);
    write('found/draw.ts', `import { more } from './more.ts';`);
    write('found/more.ts', `import { draw } from './draw.ts';\nexport const more = Math.random();`);
    write('found/fixed.test.ts', `import { fixed } from './fixed.ts';`);
    write('found/fixed.ts', `import { src } from '../outside.ts';`);
    write('outside.ts', `export const src = Math.random();`);
    assert.deepEqual(findRandomTests(join(folder.path, 'found')), ['a.test.ts', 'b.test.ts']);
  });

  test('reports which tests failed, with the seed', async () => {
    const file = write(
      'fails.mjs',
      `import { describe, test } from 'node:test';
      describe('a suite', () => {
        test('passes', () => {});
        test('fails', () => { throw new Error('Property failed after 1 tests\\n{ seed: -12, path: "0:1", endOnFailure: true }'); });
      });`,
    );
    const [first, ...others] = await runTestFile(file, 1, 60_000);
    assert.deepEqual(others, []);
    assert.deepEqual([first?.name, first?.seed], ['fails', 'seed: -12, path: "0:1"']);
    assert.match(String(first?.text), /Property failed after 1 tests/);
  });

  test('runs all rounds in one process', async () => {
    const file = write(
      'rounds.mjs',
      `import { test } from 'node:test';
      globalThis.rounds = (globalThis.rounds ?? 0) + 1;
      const round = globalThis.rounds;
      test('runs', () => { if (round !== 2) throw new Error('round ' + round); });`,
    );
    const texts = (await runTestFile(file, 3, 60_000)).map(({ text }) => /round \d/.exec(text)?.[0]);
    assert.deepEqual(texts, ['round 1', 'round 3']);
  });

  test('reports a file that exits or hangs as failed', async () => {
    assert.deepEqual(await runTestFile(write('passes.mjs', ''), 1, 60_000), []);
    const [ended] = await runTestFile(write('ends.mjs', 'process.exit(3);'), 1, 60_000);
    assert.equal(ended?.name, 'the file');
    const [hanging] = await runTestFile(write('hangs.mjs', 'setInterval(() => {}, 1_000);'), 1, 500);
    assert.match(String(hanging?.name), /ran for more than 0.5 s/);
  });
});
