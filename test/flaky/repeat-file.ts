/** Runs a test file in a process of its own and collects its failures. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export type FailedTest = {
  readonly name: string;
  /** The seed that fast-check reports, for `fc.assert(property, { seed, path })`; undefined where the test uses other randomness. */
  readonly seed: string | undefined;
  /** First lines of the test's output. */
  readonly text: string;
};

const REPEATED: string = fileURLToPath(new URL('./repeated-file.js', import.meta.url));
const SEED: RegExp = /seed:? (-?\d+)(?:, path: "[^"]*")?/;
const MAX_TEXT_LINES = 12;

/**
 * @param rounds number of times that the file's tests run, one round after the other
 * @param limitMs time limit of all rounds
 * @returns the failed tests; a file that exits otherwise than by its tests, or exceeds the limit, fails as a whole
 */
export async function runTestFile(
  file: string,
  rounds: number,
  limitMs: number,
): Promise<readonly FailedTest[]> {
  // Under a test runner, a file would report to that runner in the runner's own format.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, ['--test-reporter=tap', REPEATED, file, `${rounds}`], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return [];
  const failed = readFailures(output);
  if (failed.length > 0) return failed;
  const text = lastLines(output);
  const name = code === null ? `the file, which ran for more than ${limitMs / 1000} s` : 'the file';
  return [{ name, seed: SEED.exec(output)?.[0], text }];
}

/** @param tap output of a run: a suite that fails only because a test in it fails is left out */
export function readFailures(tap: string): FailedTest[] {
  const parts = tap.split(/^(?=[ ]*(?:not ok|ok) \d+)/m);
  return parts.flatMap((part) => {
    const name = /^ *not ok \d+ - (.*)/.exec(part)?.[1];
    if (name === undefined || /failureType: 'subtestsFailed'/.test(part)) return [];
    const lines = part
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
    const start = Math.max(
      0,
      lines.findIndex((line) => line.startsWith('error:')),
    );
    const text = lines.slice(start, start + MAX_TEXT_LINES).join('\n');
    return [{ name, seed: SEED.exec(part)?.[0], text }];
  });
}

function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-MAX_TEXT_LINES).join('\n');
}
