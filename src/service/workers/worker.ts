import type { Worker as ClusterWorker } from 'node:cluster';
import type { ListenAddress } from '../../server/lifecycle.ts';
import { completeWithin, TIMED_OUT } from '../../util/complete-within.ts';
import type { ConfigSource } from '../config-source.ts';
import type { FromWorker, Request, ToWorker, WorkerAnswer } from './messages.ts';

/** Default time limit for a worker's answer, ms. */
const ANSWER_LIMIT_MS = 2_000;

/** Worker process, represented in the primary. */
export class Worker {
  readonly #worker: ClusterWorker;
  readonly #requests = new Map<number, (answer: WorkerAnswer | undefined) => void>();
  #nextId = 1;
  #hasSaidHello = false;
  #isReady = false;
  #isStopping = false;
  /** Config source of the configuration that the worker serves. */
  configSource: ConfigSource;
  /** Listen address. Rejects if the worker cannot serve, or ends before it serves. */
  readonly ready: Promise<ListenAddress>;
  /** Resolves with the exit code or the signal when the process has ended. */
  readonly exited: Promise<number | string>;

  /** @param task first message, sent after the worker has sent `hello` */
  constructor(worker: ClusterWorker, task: Extract<ToWorker, { say: 'serve' }>) {
    this.#worker = worker;
    this.configSource = task.configSource;
    this.exited = new Promise((resolve) => {
      worker.once('exit', (code, signal) => resolve(signal ?? code));
    });
    this.ready = new Promise((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        if (message.say === 'hello') this.#begin(task);
        else if (message.say === 'ready') {
          this.#isReady = true;
          resolve(message.address);
        } else if (message.say === 'failed') reject(new Error(message.reason));
        else this.#complete(message.id, message.answer);
      });
      void this.exited.then((code) => {
        reject(new Error(`a worker ended before it was ready (${code})`));
        for (const id of this.#requests.keys()) this.#complete(id, undefined);
      });
    });
    // Prevents an unhandled rejection if no caller awaits `ready`.
    this.ready.catch(() => {});
    worker.on('error', () => {});
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  get isReady(): boolean {
    return this.#isReady && !this.#worker.isDead();
  }

  /** Resolves when the worker serves or has failed to, or after a limit. `starting`: it has not served in time. */
  async whenReady(limitMs: number): Promise<'ready' | 'starting' | 'ended'> {
    try {
      if ((await completeWithin(this.ready, limitMs)) === TIMED_OUT) return 'starting';
    } catch {
      return 'ended';
    }
    return this.isReady ? 'ready' : 'ended';
  }

  /** Requests the worker to drain and end. A worker that has not sent `hello` yet is killed when it sends `hello`. */
  stop(): void {
    this.#isStopping = true;
    if (this.#hasSaidHello) this.#tell({ say: 'stop' });
  }

  /** Sends a request. Resolves to undefined if there is no answer in time. Never rejects. */
  ask(request: Request, limitMs: number = ANSWER_LIMIT_MS): Promise<WorkerAnswer | undefined> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#complete(id, undefined), limitMs);
      this.#requests.set(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      this.#tell({ say: 'ask', id, ...request });
    });
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  #begin(task: ToWorker): void {
    this.#hasSaidHello = true;
    if (this.#isStopping) this.kill();
    else this.#tell(task);
  }

  #tell(message: ToWorker): void {
    if (this.#worker.isConnected()) this.#worker.send(message, () => {});
  }

  #complete(id: number, answer: WorkerAnswer | undefined): void {
    this.#requests.get(id)?.(answer);
    this.#requests.delete(id);
  }
}
