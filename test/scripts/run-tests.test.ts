import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/program-files.ts';
import { LONGEST, planRuns } from '../support/plan-runs.ts';

const RUNNER = join(ROOT, 'build/test/run-tests.js');

type Outcome = { readonly code: number | null; readonly out: string; readonly err: string };

function runTests(texts: readonly string[], environment: NodeJS.ProcessEnv = {}): Outcome {
  const { NODE_TEST_CONTEXT: _, PORTCULLIS_REQUIRE_ALL: __, ...rest } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [RUNNER, ...texts], {
    encoding: 'utf8',
    env: { ...rest, ...environment },
  });
  return { code: status, out: stdout, err: stderr };
}

test('small files of a folder run in one process, others alone, and each once', () => {
  const sources = ['util/b.test.ts', 'e2e/x.test.ts', 'util/deep/a.test.ts', 'util/tool.ts', 'e2e/y.test.ts'];
  assert.deepEqual(planRuns(sources), [
    { name: 'util', files: ['util/b.test.ts', 'util/deep/a.test.ts'] },
    { name: 'e2e/x.test.ts', files: ['e2e/x.test.ts'] },
    { name: 'e2e/y.test.ts', files: ['e2e/y.test.ts'] },
  ]);
  assert.deepEqual(planRuns(sources, ['y.test', 'deep']), [
    { name: 'e2e/y.test.ts', files: ['e2e/y.test.ts'] },
    { name: 'util', files: ['util/deep/a.test.ts'] },
  ]);
});

test('the longest runs start first, and exist', () => {
  const sources = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });
  const names = planRuns(sources).map(({ name }) => name);
  assert.deepEqual(names.slice(0, LONGEST.length), LONGEST);
});

test('the output of a test does not run without its source', () => {
  const stale = join(ROOT, 'build/test/util/no-longer-there.test.js');
  writeFileSync(stale, "throw new Error('it runs');\n");
  try {
    const { code, err } = runTests(['util/no-longer-there']);
    assert.deepEqual([code, err], [1, 'no test has run\n']);
    assert.equal(runTests(['util/duration.test', 'util/no-longer-there']).code, 0);
  } finally {
    rmSync(stale);
  }
});

test('--times prints the time of each process', () => {
  const { code, err } = runTests(['--times', 'util/duration.test']);
  assert.equal(code, 0);
  assert.match(err, /^ +CPU s +wall s *\n +\d+\.\d +\d+\.\d {2}util\n +\d+\.\d +all\n$/);
});

test('a hanging test is reported when its file is ended', () => {
  const source = join(ROOT, 'test/scripts/hanging-probe.test.ts');
  const output = join(ROOT, 'build/test/scripts/hanging-probe.test.js');
  writeFileSync(source, '// For a moment: the runner takes what has a source.\n');
  writeFileSync(
    output,
    `import { describe, test } from 'node:test';
    test('ends', () => {});
    describe('a suite', () => {
      test('ends too', () => {});
      test('hangs', () => new Promise(() => setInterval(() => {}, 1_000)));
    });\n`,
  );
  try {
    const { code, err } = runTests(['scripts/hanging-probe'], { PORTCULLIS_TEST_LIMIT_MS: '3000' });
    assert.equal(code, 1);
    assert.match(err, /scripts\/hanging-probe\.test\.js ended while this ran: a suite > hangs\n/);
  } finally {
    for (const path of [source, output]) rmSync(path);
  }
});

test('a test skipped for a missing program is reported, and fails with PORTCULLIS_REQUIRE_ALL', () => {
  const without = { PATH: '/nonexistent' };
  const lenient = runTests(['deploy/prometheus'], without);
  assert.equal(lenient.code, 0, lenient.out);
  assert.match(lenient.err, /These were skipped:\n {2}the alerts are well formed: promtool is not installed/);
  const strict = runTests(['deploy/prometheus'], { ...without, PORTCULLIS_REQUIRE_ALL: '1' });
  assert.equal(strict.code, 1);
  assert.match(strict.err, /PORTCULLIS_REQUIRE_ALL is set, and these were skipped:\n {2}the alerts/);
});
