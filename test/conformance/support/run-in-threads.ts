import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { FileReport, Selection } from './state-test-files.ts';

/**
 * Runs files of state tests in threads; each takes the next file when it has finished one.
 * @param onReport called for every finished file, in no particular order
 */
export async function runInThreads(
  root: string,
  files: readonly string[],
  selection: Selection,
  threads: number,
  onReport: (report: FileReport) => void,
): Promise<void> {
  const queue = files.values();
  const runThread = async (): Promise<void> => {
    const worker = new Worker(new URL('./state-test-worker.js', import.meta.url), {
      workerData: { root, selection },
    });
    try {
      for (const file of queue) {
        worker.postMessage(file);
        const [report] = (await once(worker, 'message').catch((cause: unknown) => {
          throw new Error(`the thread died of ${file}`, { cause });
        })) as [FileReport];
        onReport(report);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: threads }, runThread));
}
