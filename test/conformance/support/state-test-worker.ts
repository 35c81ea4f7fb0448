/** A thread that runs one file of state tests after another; see `run-in-threads`. */
import { parentPort, workerData } from 'node:worker_threads';
import { runStateTestFile, type Selection } from './state-test-files.ts';

if (parentPort === null) throw new Error('this module runs as a worker thread');
const port = parentPort;
const { root, selection } = workerData as { readonly root: string; readonly selection: Selection };

port.on('message', async (file: string) => {
  port.postMessage(await runStateTestFile(root, file, selection));
});
