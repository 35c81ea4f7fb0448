/**
 * Runs the EEST state tests: pre-state, block and transaction of every post, and compares its state root, logs and refusal.
 * Ends with `N of M posts`; the exit code is 1 when a post fails or is missing.
 */
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { findVectors, SKIP_REASON } from '../support/vectors.ts';
import { runInThreads } from './support/run-in-threads.ts';
import {
  type FailedPost,
  listStateTestFiles,
  type Selection,
  takeEvery,
} from './support/state-test-files.ts';

const USAGE = `usage: run-state-tests [options]
  --fork NAME       only posts of this fork, as the files call it (Osaka, ConstantinopleFix, ...)
  --match TEXT      only tests with this in their file or name
  --every N         only every N-th file
  --shard I/N       only the I-th of N parts of the files, counted from 1
  --limit N         only the first N of these files
  --threads N       how many run at once; one per core unless given
  --set NAME        another set of state tests (evm-benchmarks)
  --explain         account by account what differs
  --json            figures and failures as JSON`;

const EEST = { set: 'eest-state-tests', posts: 32_939 };

type Options = {
  readonly set: string;
  readonly selection: Selection;
  readonly every: number;
  readonly shard: { readonly index: number; readonly count: number };
  readonly limit: number;
  readonly threads: number;
  readonly json: boolean;
};

function parseCount(text: string, option: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1)
    throw new RangeError(`--${option} is not a positive integer`);
  return count;
}

function parseShard(text: string): Options['shard'] {
  const [index = '', count = ''] = text.split('/');
  const shard = { index: parseCount(index, 'shard'), count: parseCount(count, 'shard') };
  if (shard.index > shard.count) throw new RangeError(`--shard ${text}: there are ${shard.count}`);
  return shard;
}

function parseOptions(args: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      fork: text,
      match: text,
      every: { ...text, default: '1' },
      shard: { ...text, default: '1/1' },
      limit: { ...text, default: String(Number.MAX_SAFE_INTEGER) },
      threads: { ...text, default: String(availableParallelism()) },
      set: { ...text, default: EEST.set },
      explain: flag,
      json: flag,
    },
  });
  const { fork, match } = values;
  return {
    set: values.set,
    selection: {
      ...(fork !== undefined && { fork }),
      ...(match !== undefined && { match }),
      wantsExplanation: values.explain,
    },
    every: parseCount(values.every, 'every'),
    shard: parseShard(values.shard),
    limit: parseCount(values.limit, 'limit'),
    threads: parseCount(values.threads, 'threads'),
    json: values.json,
  };
}

function describeFailure({ file, test, fork, index, differences, explanation }: FailedPost): string {
  const lines = [`FAILED ${file} ${test} ${fork}/${index}`, ...differences, ...explanation];
  return lines.join('\n    ');
}

async function run(options: Options): Promise<boolean> {
  const { set, every, shard, limit, threads, selection } = options;
  const root = findVectors(set);
  if (root === undefined) {
    console.error(`${set}: ${SKIP_REASON}`);
    return false;
  }
  const all = listStateTestFiles(root);
  const files = takeEvery(takeEvery(all, every, 0), shard.count, shard.index - 1).slice(0, limit);
  const isWhole =
    files.length === all.length && selection.fork === undefined && selection.match === undefined;
  const failures: FailedPost[] = [];
  const skipped: { readonly file: string; readonly reason: string }[] = [];
  let posts = 0;
  const start = performance.now();
  await runInThreads(root, files, selection, Math.min(threads, files.length), (report) => {
    posts += report.posts;
    failures.push(...report.failures);
    if (report.skipped !== undefined) skipped.push({ file: report.file, reason: report.skipped });
  });
  const seconds = (performance.now() - start) / 1000;

  const expected = isWhole && set === EEST.set ? EEST.posts : posts;
  const passed = posts - failures.length;
  const figure = `${passed} of ${expected} posts, ${files.length} files, ${seconds.toFixed(1)} s`;
  if (options.json) {
    console.log(JSON.stringify({ passed, posts, expected, files: files.length, seconds, skipped, failures }));
    console.error(figure);
  } else {
    for (const failure of failures) console.log(describeFailure(failure));
    for (const { file, reason } of skipped) console.log(`skipped ${file}: ${reason}`);
    console.log(figure);
  }
  return expected > 0 && passed === expected;
}

let options: Options | undefined;
try {
  options = parseOptions(process.argv.slice(2));
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`);
  process.exitCode = 2;
}
if (options !== undefined) process.exitCode = (await run(options)) ? 0 : 1;
