/** Benchmark programs for EVMs, checked for correct results before any speed counts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadBenchmarkPrograms } from '../support/evm-benchmarks.ts';
import { findVectors, SKIP_REASON } from '../support/vectors.ts';
import { runInThreads } from './support/run-in-threads.ts';
import { type FileReport, listStateTestFiles } from './support/state-test-files.ts';

const PROGRAMS = 27;

const root = findVectors('evm-benchmarks');

describe('evm-benchmarks', { skip: root === undefined && SKIP_REASON }, () => {
  test('every program ends with the expected state root', async () => {
    const reports: FileReport[] = [];
    const files = listStateTestFiles(root as string);
    await runInThreads(root as string, files, {}, 1, (report) => reports.push(report));
    assert.deepEqual(
      reports.flatMap(({ failures }) => failures),
      [],
    );
    assert.equal(
      reports.reduce((sum, { posts }) => sum + posts, 0),
      PROGRAMS,
    );
  });

  test('the loader returns each program with each input once', () => {
    const programs = loadBenchmarkPrograms() ?? [];
    assert.equal(programs.length, PROGRAMS);
    assert.equal(new Set(programs.map(({ name }) => name)).size, PROGRAMS);
    for (const { name, code, state } of programs) {
      assert.ok(code.length > 0, name);
      assert.equal(state.accounts.size, 2, name);
    }
  });
});
