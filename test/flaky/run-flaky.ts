/**
 * `npm run check -- flaky`: repeats every test file that uses random values, and prints the failed tests with their seeds. The first half of the
 * repeats runs one test process for each processor. The second half runs `--load` (16) test processes at the same time, and prints the mean load of
 * the machine. `find-random-tests.ts` finds the files by their sources. Options: `--repeats 50` per file, `--shard 1/4` for every fourth file,
 * `--minutes 60` after which no further run begins, and texts, one of which a path must contain; `--list` prints the files. Exits with 1 when a
 * test failed, a run was omitted for lack of time, or no file was found.
 */
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../../scripts/program-files.ts';
import { findRandomTests } from './find-random-tests.ts';
import { runTestFile } from './repeat-file.ts';

/** A process of several rounds that takes longer hangs, however busy the machine is. */
const FILE_LIMIT_MS = 1_800_000;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repeats: { type: 'string', default: '50' },
    load: { type: 'string', default: '16' },
    shard: { type: 'string', default: '1/1' },
    minutes: { type: 'string', default: '60' },
    list: { type: 'boolean', default: false },
  },
});

function readCount(name: 'repeats' | 'load' | 'minutes', least: number): number {
  const count = Number(values[name]);
  if (Number.isInteger(count) && count >= least) return count;
  throw new RangeError(`--${name} takes a whole number from ${least}, not ${values[name]}`);
}

/** Takes every n-th file instead of a contiguous range: files of one folder take similar times. */
function takeShard(files: readonly string[]): string[] {
  const [, part, parts] = /^(\d+)\/(\d+)$/.exec(values.shard) ?? [];
  if (!(Number(part) >= 1 && Number(part) <= Number(parts)))
    throw new RangeError(`--shard takes a part and how many there are, as 1/4, not ${values.shard}`);
  return files.filter((_, i) => i % Number(parts) === Number(part) - 1);
}

const [repeats, load, minutes] = [readCount('repeats', 1), readCount('load', 1), readCount('minutes', 1)];
const files = takeShard(
  findRandomTests(join(ROOT, 'test')).filter(
    (file) => positionals.length === 0 || positionals.some((text) => file.includes(text)),
  ),
);
const counts = { runs: 0, failures: 0, missed: 0 };

/** Runs that one process makes of a file: a start takes up to half a second, and one process ends what its tests left. */
const ROUNDS_OF_PROCESS = 5;

/** @param atOnce number of processes that run tests at the same time */
async function repeat(times: number, atOnce: number, deadline: number): Promise<void> {
  const before = counts.runs;
  const loads: number[] = [];
  // Each turn runs all files: when time is up, all files have had about the same number of runs.
  const parts: { file: string; rounds: number }[] = [];
  for (let done = 0; done < times; done += ROUNDS_OF_PROCESS)
    for (const file of files) parts.push({ file, rounds: Math.min(ROUNDS_OF_PROCESS, times - done) });
  const work = parts.values();
  const run = async (): Promise<void> => {
    for (const { file, rounds } of work) {
      if (performance.now() > deadline) {
        counts.missed += rounds;
        continue;
      }
      counts.runs += rounds;
      loads.push(loadavg()[0] as number);
      const output = join(ROOT, 'build/test', file.replace(/\.ts$/, '.js'));
      for (const { name, seed, text } of await runTestFile(output, rounds, FILE_LIMIT_MS)) {
        counts.failures++;
        console.log(`FAILED test/${file} > ${name}\n  ${atOnce} processes, ${seed ?? 'no seed'}`);
        console.log(text.replace(/^/gm, '    '));
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  const load = loads.reduce((sum, value) => sum + value, 0) / loads.length;
  console.log(
    `${counts.runs - before} of ${times * files.length} runs, ${atOnce} processes, load ${load.toFixed(1)}`,
  );
}

if (values.list) for (const file of files) console.log(file);
else {
  const start = performance.now();
  const end = start + minutes * 60_000;
  // The time of the second half does not depend on the duration of the first.
  await repeat(Math.ceil(repeats / 2), availableParallelism(), (start + end) / 2);
  await repeat(Math.floor(repeats / 2), load, end);
  const taken = ((performance.now() - start) / 1000).toFixed(0);
  console.log(
    `${files.length} files, ${counts.runs} runs in ${taken} s: ${counts.failures} failures, ${counts.missed} runs left out for want of time`,
  );
  process.exitCode = files.length === 0 || counts.failures > 0 || counts.missed > 0 ? 1 : 0;
}
