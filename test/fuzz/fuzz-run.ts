/** A fuzz run over several workers, supervised by the main thread. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { REVISIONS, type Revision } from '../../packages/evm/interpreter/revisions/revisions.ts';
import type { Failure, FuzzTask, WorkerReport } from './fuzz-task.ts';
import { GENERATOR_VERSION } from './generate/generate-case.ts';

/** Folder for failing cases: among the sources, to be committed once they are understood. */
const CORPUS: string = resolve(import.meta.dirname, '../../../test/fuzz/corpus');
const STUCK_SECONDS = 120;
const PROGRESS_SECONDS = 10;
const MAX_INDEX = 2 ** 31 - 1;

export type RunOptions = {
  readonly seconds: number;
  readonly programs: number;
  readonly seed: number;
  readonly revision: Revision | undefined;
  readonly workers: number;
  readonly first: number;
};

function parseWhole(text: string, name: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0 || value > MAX_INDEX)
    throw new RangeError(`--${name}: ${text}`);
  return value;
}

/** Parses the options of a run from its command line. @throws RangeError or TypeError on invalid options */
export function parseRunOptions(args: readonly string[]): RunOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '60' },
      programs: { type: 'string', default: String(MAX_INDEX) },
      seed: { type: 'string', default: '1' },
      revision: { type: 'string' },
      workers: { type: 'string', default: String(availableParallelism()) },
      first: { type: 'string', default: '0' },
      // These are read by `run-fuzz.ts`.
      oracle: { type: 'string' },
      blocks: { type: 'boolean' },
      cases: { type: 'string' },
    },
  });
  const { revision } = values;
  if (revision !== undefined && !(REVISIONS as readonly string[]).includes(revision)) {
    throw new RangeError(`--revision: one of ${REVISIONS.join(', ')}`);
  }
  return {
    seconds: parseWhole(values.seconds, 'seconds'),
    programs: parseWhole(values.programs, 'programs'),
    seed: parseWhole(values.seed, 'seed'),
    revision: revision as Revision | undefined,
    workers: Math.max(parseWhole(values.workers, 'workers'), 1),
    first: parseWhole(values.first, 'first'),
  };
}

function saveFailure({ seed, index, difference, minimal, listing }: Failure): void {
  mkdirSync(CORPUS, { recursive: true });
  const path = join(CORPUS, `g${GENERATOR_VERSION}-${seed}-${index}.json`);
  writeFileSync(path, minimal);
  console.log(
    `seed ${seed}, case ${index}, generator ${GENERATOR_VERSION}: ${difference}\n${listing}\n-> ${path}`,
  );
}

type Totals = { programs: number; steps: number; failures: number };

/** Runs one worker from start to end. A worker that makes no progress, or dies, is a failure too. */
function watchWorker(task: FuzzTask, totals: Totals): Promise<void> {
  return new Promise((complete) => {
    const worker = new Worker(new URL('./fuzz-worker.js', import.meta.url), { workerData: task });
    let last = -1;
    let idleSeconds = 0;
    const fail = (problem: string): void => {
      totals.failures++;
      console.log(`seed ${task.seed}, case ${task.progress[0]}, generator ${GENERATOR_VERSION}: ${problem}`);
      clearInterval(timer);
      void worker.terminate();
      complete();
    };
    const timer = setInterval(() => {
      const done = task.progress[1] as number;
      idleSeconds = done === last ? idleSeconds + 1 : 0;
      last = done;
      if (idleSeconds >= STUCK_SECONDS) fail(`stuck for ${STUCK_SECONDS} s`);
    }, 1000);
    worker.on('error', (error) => fail(`the worker died: ${error.stack}`));
    worker.on('message', (report: WorkerReport) => {
      // Shrinking a failure takes time.
      idleSeconds = 0;
      if (report.kind === 'failure') {
        totals.failures++;
        saveFailure(report.failure);
        return;
      }
      totals.programs += report.programs;
      totals.steps += report.steps;
      clearInterval(timer);
      complete();
    });
  });
}

/** Runs the fuzzer with these options and prints the results. @returns true when no fault was found */
export async function runFuzz(mode: FuzzTask['mode'], options: RunOptions): Promise<boolean> {
  const { seconds, programs, seed, revision, workers, first } = options;
  const totals: Totals = { programs: 0, steps: 0, failures: 0 };
  const started = performance.now();
  const tasks = Array.from(
    { length: workers },
    (_, worker): FuzzTask => ({
      mode,
      seed,
      revision,
      first: first + worker,
      stride: workers,
      end: Math.min(first + programs, MAX_INDEX),
      seconds,
      progress: new Int32Array(new SharedArrayBuffer(8)),
    }),
  );
  const timer = setInterval(() => {
    const done = tasks.reduce((sum, { progress }) => sum + (progress[1] as number), 0);
    console.log(`${done} programs, ${totals.failures} differences`);
  }, PROGRESS_SECONDS * 1000);
  await Promise.all(tasks.map((task) => watchWorker(task, totals)));
  clearInterval(timer);
  const rate = totals.programs / ((performance.now() - started) / 1000);
  const executed = mode !== 'differential' ? '' : `, ${totals.steps} steps`;
  console.log(
    `${totals.programs} programs${executed}, ${totals.failures} differences (${rate.toFixed(0)} programs/s, seed ${seed}, generator ${GENERATOR_VERSION})`,
  );
  return totals.failures === 0;
}
