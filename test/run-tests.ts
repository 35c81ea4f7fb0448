/**
 * Runs the tests that have a source: `node build/test/run-tests.js [TEXT...]`, limited to those with one of the texts in their path. Folders of many small
 * files run in one process each, all others file by file. Under `PORTCULLIS_REQUIRE_ALL=1`, which `.ci/run` sets, a test that is skipped for a missing
 * requirement is a failure. The exit code is 1 when a test fails, and when no test ran. `--times` prints the processor and wall time of
 * each process. `--long` runs all cases where a test otherwise runs a part (`PORTCULLIS_LONG=1`).
 */
import { setMaxListeners } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { ROOT } from '../scripts/program-files.ts';
import { planRuns } from './support/plan-runs.ts';
import { tabulateTimes } from './support/process-times.ts';
import { removeAbandonedFolders, STORES_VARIABLE } from './support/temporary-folder.ts';

const BUILD = join(ROOT, 'build/test');
/** The path contains the process id, because tests of this program run it while it runs. */
const GROUPS = join(BUILD, `groups-${process.pid}`);
/** Three times the processors that `npm test` is meant for, because tests wait for programs that they start and for time to pass. */
const CONCURRENCY = 6;
/** Longest silence between two test reports: only a hang takes longer, however busy the machine is. */
const LIMIT_MS = Number(process.env['PORTCULLIS_TEST_LIMIT_MS'] ?? 600_000);

const OPTIONS = ['--times', '--long'];
const isTimed: boolean = process.argv.includes('--times');
if (process.argv.includes('--long')) process.env['PORTCULLIS_LONG'] = '1';
const TIMES = join(GROUPS, 'times');

/**
 * Options of Node for the processes of tests: a young generation of up to 64 MiB instead of 16. In `packages/proofs`, its collections take 3 s
 * instead of 4 to 5.5 s, of about 60 s of processor time.
 */
const NODE_OPTIONS = '--max-semi-space-size=64';

/** Writes the files of the plan's processes. Each loads the test files of a folder or one test file. */
function prepare(texts: readonly string[]): string[] {
  mkdirSync(GROUPS, { recursive: true });
  const sources = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });
  return planRuns(sources, texts).map(({ name, files }) => {
    const outputs = files.map((file) => join(BUILD, file.replace(/\.ts$/, '.js')));
    const group = join(GROUPS, `${name.replaceAll('/', '-')}.js`);
    // Modules are evaluated in the order of their imports: tests start programs without the options of their own process.
    const imports = [join(BUILD, 'support/drop-node-options.js'), ...outputs].map(
      (output) => `import ${JSON.stringify(relative(GROUPS, output))};\n`,
    );
    if (isTimed) imports.push(reportTimes(name));
    writeFileSync(group, imports.join(''));
    return group;
  });
}

function reportTimes(name: string): string {
  return `import { reportTimesAtExit } from '../support/process-times.js';
reportTimesAtExit(${JSON.stringify(name)}, ${JSON.stringify(TIMES)});
`;
}

removeAbandonedFolders();
process.env[STORES_VARIABLE] = join(GROUPS, 'stores');
process.env['NODE_OPTIONS'] = NODE_OPTIONS;
const files = prepare(process.argv.slice(2).filter((text) => !OPTIONS.includes(text)));
const requiresAll = process.env['PORTCULLIS_REQUIRE_ALL'] === '1';
const skipped: string[] = [];
let [passed, failed] = [0, 0];
/** Started and unfinished tests by file, from the outermost suite to the innermost test. */
const running = new Map<string, string[]>();

const hanging = new AbortController();
setMaxListeners(0, hanging.signal);
const silence = setTimeout(() => hanging.abort(), LIMIT_MS);
const tests = run({ files, concurrency: CONCURRENCY, signal: hanging.signal });
tests.on('data', () => silence.refresh());
tests.on('test:dequeue', ({ name, file = '', nesting }) => {
  // Tests of one file run one after another, each within its suites.
  running.set(file, [...(running.get(file) ?? []).slice(0, nesting), name]);
});
tests.on('test:complete', ({ name, file = '', nesting }) => {
  const names = running.get(file) ?? [];
  // A file that ends early completes as a whole; the test that it ran does not.
  if (names[nesting] === name) running.set(file, names.slice(0, nesting));
});
tests.on('test:pass', ({ name, skip, details }) => {
  if (skip !== undefined) skipped.push(typeof skip === 'string' ? `${name}: ${skip}` : name);
  else if (details.type !== 'suite') passed++;
});
tests.on('test:fail', ({ todo }) => {
  if (todo === undefined) failed++;
});
tests.compose(new spec()).pipe(process.stdout);
tests.once('end', () => {
  clearTimeout(silence);
  if (existsSync(TIMES)) console.error(tabulateTimes(TIMES));
  rmSync(GROUPS, { recursive: true, force: true });
  process.exitCode = conclude();
});

/** Prints missing, unfinished and skipped tests. @returns the exit code */
function conclude(): number {
  if (passed === 0) console.error('no test has run');
  for (const [file, names] of running) {
    if (names.length > 0)
      console.error(`\n${relative(BUILD, file)} ended while this ran: ${names.join(' > ')}`);
  }
  if (skipped.length > 0) {
    console.error(`\n${requiresAll ? 'PORTCULLIS_REQUIRE_ALL is set, and these' : 'These'} were skipped:`);
    for (const line of skipped) console.error(`  ${line}`);
  }
  return failed > 0 || passed === 0 || (requiresAll && skipped.length > 0) ? 1 : 0;
}
