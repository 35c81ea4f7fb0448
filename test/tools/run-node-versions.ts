/**
 * `npm run check -- node-versions` runs the suite on each supported version of Node and prints a table. npm installs the versions. The option
 * `--versions 20.19,22` chooses versions. Further arguments select the tests whose path contains one of them. The exit code is 1 if a test failed.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../../scripts/program-files.ts';
import { installNode } from './installed-node.ts';

/** The oldest version of `engines`, and the versions that Node supports after it. */
const VERSIONS = '20.19,22,24,26';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { versions: { type: 'string', default: VERSIONS } },
});

type Outcome = {
  readonly version: string;
  readonly passed: string;
  readonly failed: string;
  readonly seconds: number;
};

/** Runs the suite; its failures go to stdout. */
async function runSuite(version: string): Promise<Outcome> {
  const env = { ...process.env, ...(await installNode(version)) };
  const start = performance.now();
  const output = await new Promise<string>((resolve) => {
    const child = spawn('node', ['build/test/run-tests.js', ...positionals], { cwd: ROOT, env });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    child.stderr.pipe(process.stderr);
    child.once('close', () => resolve(text));
  });
  const count = (name: string): string => new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? '?';
  const failed = count('fail');
  if (failed !== '0') process.stdout.write(`${output.slice(output.indexOf('failing tests:'))}\n`);
  const seconds = Math.round((performance.now() - start) / 1_000);
  return { version: await readVersion(env), passed: count('pass'), failed, seconds };
}

function readVersion(env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('node', ['--version'], { cwd: join(ROOT), env });
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
    child.once('error', reject);
  });
}

const outcomes: Outcome[] = [];
for (const version of values.versions.split(',')) outcomes.push(await runSuite(version));
process.stdout.write('| Node | passed | failed | seconds |\n|---|---|---|---|\n');
for (const { version, passed, failed, seconds } of outcomes)
  process.stdout.write(`| ${version} | ${passed} | ${failed} | ${seconds} |\n`);
if (outcomes.some(({ failed }) => failed !== '0')) process.exitCode = 1;
