/**
 * Runs a script of package.json: `node scripts/task.cjs bench proxy`. Each one installs the packages of the lock file if that has changed, and all
 * but those of `TOOLS` build if sources have changed. A program of this repository then runs in this process. npm starts scripts by a shell, which does not
 * pass signals on: `exec` in package.json makes this process npm's own child.
 */
require('./check-node.cjs');
const { spawnSync } = require('node:child_process');
const { statSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { fingerprint, isBuilt, recordBuild } = require('./build-stamp.cjs');
const BUILD_STEPS = require('./build-steps.cjs');

const ROOT = join(__dirname, '..');

/** Tools that read sources alone. */
const TOOLS = {
  lint: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  format: ['node_modules/@biomejs/biome/bin/biome', 'check', '--write', '.'],
  types: ['node_modules/typescript/bin/tsc', '-b'],
  unused: ['node_modules/knip/bin/knip.js'],
};

/** Built programs, with arguments before the user's own. */
const PROGRAMS = {
  start: ['build/program/cli/main.js'],
  test: ['build/test/run-tests.js'],
  docs: ['build/scripts/write-docs.js'],
  generate: ['build/scripts/run.js', 'generate'],
  bench: ['build/scripts/run.js', 'bench'],
  check: ['build/scripts/run.js', 'check'],
};

const COVERAGE = ['node_modules/c8/bin/c8.js', '--exclude-after-remap', '--all', '--src', 'src'];

/** Runs a program to its end; a failure ends this process with the same status. */
function run(file, ...args) {
  const { status, signal } = spawnSync(process.execPath, [file, ...args], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(signal === null ? status : 1);
}

/** Time at which a file was changed, milliseconds; 0 for none. */
function changedAt(file) {
  return statSync(join(ROOT, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Runs npm, which must have started this script. */
function runNpm(...args) {
  const npm = process.env.npm_execpath;
  if (npm === undefined) {
    console.error(`run npm ${args.join(' ')}`);
    process.exit(1);
  }
  run(npm, ...args);
}

function setUp() {
  if (changedAt('node_modules/.package-lock.json') > changedAt('package-lock.json')) return;
  console.error('Installing the packages of package-lock.json ...');
  runNpm('ci', '--no-audit', '--no-fund', '--loglevel=error');
}

/** Builds the program without files of earlier builds, for `npm pack`. */
function prepack() {
  build('program');
  run('build/scripts/bundle.js', '--clean');
}

/** Builds unless the inputs are those of the last build. @param kind a key of `BUILD_STEPS` */
function build(kind) {
  // Taken before the build, so that a file that changes during the build is built by the next one.
  const prints = (kind === 'all' ? ['program', 'all'] : [kind]).map((one) => [one, fingerprint(ROOT, one)]);
  if (prints.every(([one, print]) => isBuilt(ROOT, one, print))) return;
  console.error(`Building ${kind === 'program' ? 'the program' : 'the program and its tests'} ...`);
  for (const [file, ...args] of BUILD_STEPS[kind]) run(file, ...args);
  for (const [one, print] of prints) recordBuild(ROOT, one, print);
}

const [task = '', ...args] = process.argv.slice(2);
setUp();
if (task in TOOLS) {
  run(...TOOLS[task], ...args);
} else if (task === 'coverage') {
  build('all');
  run(...COVERAGE, process.execPath, 'build/test/run-tests.js', ...args);
} else if (task === 'build') {
  build('all');
} else if (task === 'prepack') {
  prepack();
} else if (task === 'package') {
  prepack();
  runNpm('pack', ...args);
} else if (task in PROGRAMS) {
  build(task === 'start' ? 'program' : 'all');
  const [file, ...own] = PROGRAMS[task];
  // The program finds its file and its options where node puts them for a direct start.
  process.argv = [process.argv[0], join(ROOT, file), ...own, ...args];
  import(pathToFileURL(join(ROOT, file)).href);
} else if (task !== 'setup') {
  console.error(`there is no script "${task}"`);
  process.exit(1);
}
