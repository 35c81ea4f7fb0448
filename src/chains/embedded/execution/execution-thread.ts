import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { getCore } from '../../../engine/create-evm.ts';
import type { ExecutionMemoryOptions } from './execution-memory.ts';
import type { Job, JobOutcome, Order, Report, ThreadData } from './job.ts';
import { NativeSection } from './native-section.ts';

export type ThreadOptions = {
  /** JavaScript heap of the thread, MiB; the memory of EVMs is not part of it. */
  readonly heapMb: number;
  /** Memory limit of one execution, bytes. */
  readonly memoryLimit: number;
  readonly memory: ExecutionMemoryOptions;
  /** Called when the thread has failed, before its jobs report a fault. */
  readonly onBreakdown: (thread: ExecutionThread, error: Error) => void;
  /** Called with the use since the last report: gas of finished runs, and milliseconds in slices. */
  readonly onUse: (gas: number, ms: number) => void;
};

/** Called when a job has completely ended on the thread, with its outcome and the milliseconds of its slices. */
export type OnJobEnd = (outcome: JobOutcome, ms: number) => void;

type ThreadJob = { readonly owner: string; readonly complete: OnJobEnd };

/** Grace period for a stopping thread to end its slice, milliseconds. */
const STOP_GRACE_MS = 2_000;
/** Retry interval of terminating a thread past its grace period, milliseconds. */
const LOOK_MS = 100;

/** A worker thread and its running jobs. */
export class ExecutionThread {
  readonly #worker: Worker;
  readonly #jobs = new Map<number, ThreadJob>();
  /** Number of running jobs per owner. */
  readonly #jobsOf = new Map<string, number>();
  readonly #exit: Promise<void>;
  readonly #onUse: ThreadOptions['onUse'];
  readonly #section = new NativeSection();
  #lastId = 0;
  #isReady = false;
  #isStopping = false;

  constructor({ heapMb, memoryLimit, memory, onBreakdown, onUse }: ThreadOptions) {
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      workerData: {
        core: getCore(),
        memoryLimit,
        memory,
        section: this.#section.shared,
      } satisfies ThreadData,
    });
    worker.on('message', (report: Report) => this.#receive(report));
    let cause = new Error('an execution thread ended unexpectedly');
    worker.on('error', (error) => {
      cause = error;
    });
    this.#exit = new Promise((resolve) => {
      worker.on('exit', () => {
        resolve();
        if (this.#isStopping) return;
        onBreakdown(this, cause);
        for (const { complete } of this.#jobs.values())
          complete({ fault: 'the thread of an execution ended unexpectedly' }, Number.POSITIVE_INFINITY);
      });
    });
    worker.unref();
    this.#onUse = onUse;
    this.#worker = worker;
  }

  /** Number of running jobs. */
  get load(): number {
    return this.#jobs.size;
  }

  /**
   * Returns the divisor for the share of thread time that one more job of this owner would get. Owners share the thread equally, and the jobs of an
   * owner share its part.
   */
  crowdFor(owner: string): number {
    const own = this.#jobsOf.get(owner) ?? 0;
    return (own === 0 ? this.#jobsOf.size + 1 : this.#jobsOf.size) * (own + 1);
  }

  /** Starts a job. @returns a function that cancels the job; `complete` is called when the job has completely ended */
  run(job: Job, owner: string, complete: OnJobEnd): () => void {
    this.#lastId++;
    const id = this.#lastId;
    this.#jobs.set(id, { owner, complete });
    this.#jobsOf.set(owner, (this.#jobsOf.get(owner) ?? 0) + 1);
    if (this.load === 1) this.#worker.ref();
    this.#send({ kind: 'run', id, owner, job });
    return () => this.#send({ kind: 'cancel', id });
  }

  /** Stops the thread between two slices; terminates it only if it is stuck in a slice. `complete` is not called for its jobs. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#worker.ref();
    this.#send({ kind: 'stop' });
    let timer = setTimeout(() => {
      timer = setInterval(() => this.#terminate(), LOOK_MS);
    }, STOP_GRACE_MS);
    await this.#exit;
    clearTimeout(timer);
  }

  /** Terminates the thread, unless it runs native code in which termination would crash the process: while it loads, and in its native section. */
  #terminate(): void {
    if (this.#isReady && !this.#section.close()) void this.#worker.terminate();
  }

  #send(order: Order): void {
    this.#worker.postMessage(order);
  }

  #receive(report: Report): void {
    if (report.kind === 'ready') {
      this.#isReady = true;
      lowerPriority(report.systemThreadId);
      return;
    }
    this.#onUse(report.gas, report.ms);
    const job = this.#jobs.get(report.id);
    if (job === undefined) return;
    this.#jobs.delete(report.id);
    const others = (this.#jobsOf.get(job.owner) as number) - 1;
    if (others === 0) this.#jobsOf.delete(job.owner);
    else this.#jobsOf.set(job.owner, others);
    // A stopping thread keeps the process alive until it has exited.
    if (this.load === 0 && !this.#isStopping) this.#worker.unref();
    job.complete(report.outcome, report.jobMs);
  }
}

/**
 * Linux nice value of execution threads. When both compete, such a thread gets a third of the processor time of the request thread. It still gets a
 * share when other programs keep all processors busy: with two such programs per processor, an estimate's first execution took 0.12 s, and 4.4 s at
 * nice 19.
 */
const NICE = 5;

/** Gives the request thread priority over an execution thread. If the system denies it, both have the same priority. */
function lowerPriority(systemThreadId: number | undefined): void {
  if (systemThreadId === undefined) return;
  try {
    setPriority(systemThreadId, NICE);
  } catch {
    // The priority remains unchanged.
  }
}
