/**
 * `npm run check -- flaky`: repeats every test file that uses random values, half of the runs beside busy processes, and prints
 * the failed tests with their seeds. `find-random-tests.ts` finds the files by their sources. Options: `--repeats 50` per
 * file, `--load 16` busy processes in the second half, `--shard 1/4` for every fourth file, `--minutes 60` after which no further run begins,
 * and texts, one of which a path must contain; `--list` prints the files. Exits with 1 when a test failed, a run was omitted for lack of time,
 * or no file was found.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../../scripts/program-files.ts';
import { startBusyProcesses } from './busy-processes.ts';
import { findRandomTests } from './find-random-tests.ts';
import { runTestFile } from './repeat-file.ts';

/** A file that takes longer hangs, however busy the machine is. */
const FILE_LIMIT_MS = 600_000;
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

const [repeats, load, minutes] = [readCount('repeats', 1), readCount('load', 0), readCount('minutes', 1)];
const files = takeShard(
  findRandomTests(join(ROOT, 'test')).filter(
    (file) => positionals.length === 0 || positionals.some((text) => file.includes(text)),
  ),
);
const counts = { runs: 0, failures: 0, missed: 0 };

async function repeat(times: number, beside: string, deadline: number): Promise<void> {
  const before = counts.runs;
  // Each round runs all files once: when time is up, all files have had about the same number of runs.
  for (let round = 1; round <= times; round++) {
    for (const file of files) {
      if (performance.now() > deadline) {
        counts.missed++;
        continue;
      }
      counts.runs++;
      const output = join(ROOT, 'build/test', file.replace(/\.ts$/, '.js'));
      for (const { name, seed, text } of await runTestFile(output, FILE_LIMIT_MS)) {
        counts.failures++;
        console.log(`FAILED test/${file} > ${name}\n  ${beside}, round ${round}, ${seed ?? 'no seed'}`);
        console.log(text.replace(/^/gm, '    '));
      }
    }
  }
  console.log(`${counts.runs - before} of ${times * files.length} runs, ${beside}`);
}

if (values.list) for (const file of files) console.log(file);
else {
  const start = performance.now();
  const end = start + minutes * 60_000;
  // The time of the second half does not depend on the duration of the first.
  await repeat(Math.ceil(repeats / 2), 'idle', (start + end) / 2);
  const stop = startBusyProcesses(load);
  try {
    await repeat(Math.floor(repeats / 2), `${load} busy processes`, end);
  } finally {
    stop();
  }
  const taken = ((performance.now() - start) / 1000).toFixed(0);
  console.log(
    `${files.length} files, ${counts.runs} runs in ${taken} s: ${counts.failures} failures, ${counts.missed} runs left out for want of time`,
  );
  process.exitCode = files.length === 0 || counts.failures > 0 || counts.missed > 0 ? 1 : 0;
}
