import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { getCore } from '../create-evm.ts';
import type { ExecutionMemoryOptions } from './execution-memory.ts';
import type { Job, JobOutcome, Order, Report, ThreadData } from './job.ts';
import { NativeSection } from './native-section.ts';

export type ThreadOptions = {
  /** Heap of the thread, MiB. What executions compute with is not in it. */
  readonly heapMb: number;
  /** Bytes of memory that one execution may have. */
  readonly memoryLimit: number;
  readonly memory: ExecutionMemoryOptions;
  /** The thread has broken down; its jobs are settled next. */
  readonly onBreakdown: (thread: ExecutionThread, error: Error) => void;
  /** What was used since the last time: gas of runs that ended, milliseconds in slices. */
  readonly onUse: (gas: number, ms: number) => void;
};

/** Called when nothing of a job is left on the thread, with what became of it, and the milliseconds in slices that it had. */
export type Settle = (outcome: JobOutcome, ms: number) => void;

type ThreadJob = { readonly owner: string; readonly settle: Settle };

/** How long a thread may take to end a slice when it is to stop, milliseconds. */
const STOP_GRACE_MS = 2_000;
/** Between two looks at a thread that is past it and cannot be terminated yet. */
const LOOK_MS = 100;

/** A worker thread and the jobs that it runs. */
export class ExecutionThread {
  readonly #worker: Worker;
  readonly #jobs = new Map<number, ThreadJob>();
  /** How many of them are each owner's. */
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
    let cause = new Error('an execution thread ended');
    worker.on('error', (error) => {
      cause = error;
    });
    this.#exit = new Promise((resolve) => {
      worker.on('exit', () => {
        resolve();
        if (this.#isStopping) return;
        onBreakdown(this, cause);
        for (const { settle } of this.#jobs.values())
          settle({ fault: 'the thread of an execution broke down' }, Number.POSITIVE_INFINITY);
      });
    });
    worker.unref();
    this.#onUse = onUse;
    this.#worker = worker;
  }

  /** Jobs that it runs. */
  get load(): number {
    return this.#jobs.size;
  }

  /** What part of the thread a job more of this owner would have: one in so many. Owners share it, then each one's jobs. */
  crowdFor(owner: string): number {
    const own = this.#jobsOf.get(owner) ?? 0;
    return (own === 0 ? this.#jobsOf.size + 1 : this.#jobsOf.size) * (own + 1);
  }

  /** @returns what gives the job up; `settle` is called when nothing of it is left */
  run(job: Job, owner: string, settle: Settle): () => void {
    this.#lastId++;
    const id = this.#lastId;
    this.#jobs.set(id, { owner, settle });
    this.#jobsOf.set(owner, (this.#jobsOf.get(owner) ?? 0) + 1);
    if (this.load === 1) this.#worker.ref();
    this.#send({ kind: 'run', id, owner, job });
    return () => this.#send({ kind: 'cancel', id });
  }

  /** Ends the thread between two slices; by force only if it is stuck in one. Its jobs are not settled. */
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

  /** Unless native code is running that takes the process down when its thread is terminated: while the thread loads, and where it says so. */
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
    // The process waits for one that is stopping until it has ended.
    if (this.load === 0 && !this.#isStopping) this.#worker.unref();
    job.settle(report.outcome, report.jobMs);
  }
}

/**
 * Linux's nice value of a thread that executes: a third of the processor time that the requests' thread has where both want
 * one, and still a part where other programs keep all of them busy. At 19 an estimate's first execution took 4.4 s beside
 * two such programs a processor, here 0.12 s.
 */
const NICE = 5;

/** The thread of the requests comes first. Where the system does not let us, both stay equal. */
function lowerPriority(systemThreadId: number | undefined): void {
  if (systemThreadId === undefined) return;
  try {
    setPriority(systemThreadId, NICE);
  } catch {
    // The thread goes on at its old priority.
  }
}
