/** Processes that only compute, so that the tests get a share of the processors. */
import { type ChildProcess, spawn } from 'node:child_process';

/** Ends when its parent is gone, which closes the pipe. */
const BUSY = `process.stdin.resume().once('close', () => process.exit());
(function compute() {
  for (const until = performance.now() + 50; performance.now() < until; );
  setImmediate(compute);
})();`;

/** @returns a function that ends each process */
export function startBusyProcesses(count: number): () => void {
  const processes: readonly ChildProcess[] = Array.from({ length: count }, () =>
    spawn(process.execPath, ['--eval', BUSY], { stdio: ['pipe', 'ignore', 'inherit'] }),
  );
  return () => {
    for (const child of processes) child.kill('SIGKILL');
  };
}
