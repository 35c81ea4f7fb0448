import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { getCore } from '../../../engine/create-evm.ts';
import type { ExecutionMemoryOptions } from './execution-memory.ts';
import type { Job, JobOutcome, Order, Report, ThreadData } from './job.ts';
import { NativeSection } from './native-section.ts';

export type ThreadOptions = {
  /** Maximum JavaScript heap of the thread, MiB, without the memory of EVMs. */
  readonly heapMb: number;
  /** Memory limit of one execution, bytes. */
  readonly memoryLimit: number;
  readonly memory: ExecutionMemoryOptions;
  /** Called when the thread has failed, before its jobs report a fault. */
  readonly onBreakdown: (thread: ExecutionThread, error: Error) => void;
  /** Called with the use since the last report: gas of finished runs, and milliseconds in slices. */
  readonly onUse: (gas: number, ms: number) => void;
};

/** Called with the outcome of a job and the total milliseconds of its slices, when the job no longer uses the thread. */
export type OnJobEnd = (outcome: JobOutcome, ms: number) => void;

type ThreadJob = { readonly owner: string; readonly complete: OnJobEnd };

/** Grace period for a stopping thread to end its slice, milliseconds. */
const STOP_GRACE_MS = 2_000;
/** Interval of the attempts to terminate a thread after its grace period, milliseconds. */
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
   * Returns the divisor for the share of thread time that a further job of this owner would have. All owners get equal shares of the thread's time,
   * and an owner's share is divided among its jobs.
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

  /**
   * Stops the thread between two slices; terminates it only if it is stuck in a slice. If the thread stops before a job has ended, the callbacks of
   * the job are not called.
   */
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

  /** Terminates the thread, unless this would crash the process: while the thread loads its modules, or runs native code in its `NativeSection`. */
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
 * Linux nice value of execution threads. An execution thread that competes with the request thread gets a third of the request thread's processor
 * time. A higher nice value is too slow beside other programs. With two busy programs per processor, the first execution of an estimate took 0.12 s
 * at nice value 5, and 4.4 s at 19.
 */
const NICE = 5;

/** Gives the request thread priority over an execution thread. If the system denies the lower priority, both threads have the same priority. */
function lowerPriority(systemThreadId: number | undefined): void {
  if (systemThreadId === undefined) return;
  try {
    setPriority(systemThreadId, NICE);
  } catch {
    // The system may deny the change. The priority of the thread then stays the same.
  }
}
