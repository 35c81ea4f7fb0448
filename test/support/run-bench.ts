import { execFile } from 'node:child_process';
import { join } from 'node:path';

const BENCH = join(import.meta.dirname, '../../bench');

/** Runs a benchmark to its end. Accepts either exit code, because targets hold on quiet machines only. */
export function runBench(
  name: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NODE_OPTIONS: '', ...settings };
    execFile(process.execPath, [join(BENCH, `${name}.js`), ...args], { env }, (error, stdout, stderr) => {
      const lines = stdout.trimEnd().split('\n');
      const isDone = error === null || (error.code === 1 && lines.length > 1);
      if (isDone) resolve(stdout);
      else reject(new Error(`bench ${name} ended with ${error.code}:\n${stdout}${stderr}`));
    });
  });
}
