/** A part of the EEST state tests, the same on every machine; `npm run check -- state-tests` runs all of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findVectors, SKIP_REASON } from '../support/vectors.ts';
import { runInThreads } from './support/run-in-threads.ts';
import { type FileReport, listStateTestFiles, takeEvery } from './support/state-test-files.ts';

const STRIDE = 40;
const FILES = 68;
const POSTS = 559;

const root = findVectors('eest-state-tests');

test('every 40th file of the state tests passes', { skip: root === undefined && SKIP_REASON }, async (t) => {
  const files = takeEvery(listStateTestFiles(root as string), STRIDE, 0);
  const reports: FileReport[] = [];
  await runInThreads(root as string, files, { wantsExplanation: true }, 1, (report) => reports.push(report));
  const failures = reports.flatMap((report) => report.failures);
  const posts = reports.reduce((sum, report) => sum + report.posts, 0);
  t.diagnostic(`${posts - failures.length} of ${posts} posts in ${files.length} files`);
  assert.deepEqual(failures, []);
  assert.deepEqual(
    reports.filter(({ skipped }) => skipped !== undefined),
    [],
  );
  assert.deepEqual({ posts, files: reports.length }, { posts: POSTS, files: FILES });
});
