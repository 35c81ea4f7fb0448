/** One run of a test file, and what failed in it. */
import { spawn } from 'node:child_process';

export type FailedTest = {
  readonly name: string;
  /** Of fast-check, which `fc.assert(property, { seed, path })` takes; undefined where the test draws in another way. */
  readonly seed: string | undefined;
  /** The first lines of what the test says. */
  readonly text: string;
};

const SEED: RegExp = /seed:? (-?\d+)(?:, path: "[^"]*")?/;
const MAX_TEXT_LINES = 12;

/** @returns the tests that failed; a file that ends in another way than by its tests, or not in time, has failed as a whole */
export async function runTestFile(file: string, limitMs: number): Promise<readonly FailedTest[]> {
  // Under a test runner, a file would report to that one in its own format.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, ['--test-reporter=tap', file], {
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

/** @param tap of a run: a suite that fails because a test in it does is left out */
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
