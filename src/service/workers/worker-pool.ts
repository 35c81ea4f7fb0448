import cluster from 'node:cluster';
import { setTimeout as wait } from 'node:timers/promises';
import type { NodeView } from '../../admin/api/api-sources.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { Logger } from '../../observe/logger.ts';
import type { MetricsJson } from '../../observe/metrics/render-metrics.ts';
import type { StatusReport } from '../../observe/status-report.ts';
import type { ListenAddress } from '../../server/lifecycle.ts';
import { Backoff } from '../../util/backoff.ts';
import type { ConfigSource } from '../config-source.ts';
import { Balancer } from './balancer.ts';
import type { WorkerAnswer } from './messages.ts';
import { Worker } from './worker.ts';
import { WorkerCordons } from './worker-cordons.ts';

export type WorkerPoolOptions = {
  readonly configSource: ConfigSource;
  readonly workers: number;
  /** Networks that the key `demo` opens, besides the built-in networks. */
  readonly demoNetworks: readonly string[];
  /** Whether a network that cannot be opened ends the process. */
  readonly isStrict: boolean;
  /** Time after which workers that are still running are killed, ms. */
  readonly stopLimitMs: number;
  readonly log: Logger;
};

/** Time limit of a reload, and of the wait for a worker that is starting, ms: completing the indexes of a store may take long. */
const RELOAD_LIMIT_MS = 60_000;
/** Time limit of removing cached answers, ms: a shared server may have millions of them. */
const EVICT_LIMIT_MS = 60_000;
/** Backoff between the end of a worker and the start of its replacement, ms. */
const RESTART = { firstMs: 100, maxMs: 5_000 } as const;
/** Minimum run time of a worker after which its end does not count as a failed start, ms. */
const HEALTHY_MS = 30_000;

/** Worker processes that share a port. A worker that ends is replaced; only the requests that it was running are lost. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #workers = new Set<Worker>();
  /** Nodes that an operator has cordoned. */
  readonly cordons: WorkerCordons = new WorkerCordons(this.#workers);
  readonly #balancer = new Balancer(() => this.#serving());
  #configSource: ConfigSource;
  #isClosing = false;
  #closed: Promise<void> | undefined;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#configSource = options.configSource;
    // The kernel assigns connections to workers. The primary could assign a connection to a worker that is about to be killed, and keep the
    // connection open: the client would hang.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ args: ['worker'] });
  }

  /** Resolves when all workers serve. @throws Error if a worker cannot serve */
  async start(): Promise<ListenAddress> {
    const started = Array.from({ length: this.#options.workers }, () => this.#keepOne());
    const [address] = await Promise.all(started);
    return address as ListenAddress;
  }

  /** Returns the status of each worker that answers in time. */
  async readStatuses(): Promise<readonly StatusReport[]> {
    const answers = await this.#requestAll((worker) => worker.ask({ what: 'status' }));
    return answers.flatMap((answer) => (answer !== undefined && 'status' in answer ? [answer.status] : []));
  }

  async readMetrics(): Promise<readonly MetricsJson[]> {
    const answers = await this.#requestAll((worker) => worker.ask({ what: 'metrics' }));
    return answers.flatMap((answer) => (answer !== undefined && 'metrics' in answer ? [answer.metrics] : []));
  }

  /** Makes the workers reload the TLS certificate. */
  async reloadCertificate(): Promise<void> {
    await this.#requestAll((worker) => worker.ask({ what: 'certificate' }));
  }

  /**
   * Applies another configuration to one worker after the other. If a worker rejects the configuration, all workers return to the previous one.
   * @throws ConfigError with the errors of a worker
   */
  async reload(configSource: ConfigSource): Promise<void> {
    const before = this.#configSource;
    for (;;) {
      const worker = [...this.#workers].find((one) => one.configSource !== configSource);
      if (worker === undefined) return;
      const problems = await this.#reloadOne(worker, configSource);
      if (problems !== undefined) {
        await this.#takeBack(configSource, before);
        throw new ConfigError([...problems]);
      }
      worker.configSource = configSource;
      // A worker that is started from now on starts with the new configuration.
      this.#configSource = configSource;
    }
  }

  /** Lists the nodes of all networks, one list per worker. @throws Error if a worker does not answer */
  async listNodes(): Promise<readonly (readonly NodeView[])[]> {
    const answers = await this.#requestAll((worker) => worker.ask({ what: 'nodes' }));
    return answers.map((answer) => {
      if (answer === undefined || !('nodes' in answer)) throw new Error('a worker did not answer in time');
      return answer.nodes;
    });
  }

  /**
   * Removes cached answers in every worker.
   * @returns false for an unknown network
   * @throws Error if a worker or the shared cache does not answer
   */
  async evictCache(network: string | undefined): Promise<boolean> {
    const request = { what: 'evict', ...(network !== undefined && { network }) } as const;
    const answers = await this.#requestAll((worker) => worker.ask(request, EVICT_LIMIT_MS));
    for (const answer of answers) {
      if (answer === undefined) throw new Error('a worker did not answer in time');
      if ('failed' in answer) throw new Error(answer.failed.join('; '));
    }
    return answers.every((answer) => answer !== undefined && 'isKnown' in answer && answer.isKnown);
  }

  async #takeBack(configSource: ConfigSource, before: ConfigSource): Promise<void> {
    this.#configSource = before;
    for (const worker of this.#workers) {
      if (worker.configSource !== configSource) continue;
      const problems = await this.#reloadOne(worker, before);
      worker.configSource = before;
      // The replacement of a killed worker starts with the pool's current configuration.
      if (problems !== undefined) worker.kill();
    }
  }

  /** Applies a configuration to a worker, once it serves. @returns the errors; undefined if there are none, or if the worker has ended */
  async #reloadOne(worker: Worker, configSource: ConfigSource): Promise<readonly string[] | undefined> {
    const state = await worker.whenReady(RELOAD_LIMIT_MS);
    if (state === 'ended') return undefined;
    if (state === 'starting') return ['a worker did not start in time'];
    const answer = await worker.ask({ what: 'reload', configSource }, RELOAD_LIMIT_MS);
    return findProblems(answer, worker);
  }

  /** Stops all workers. Resolves when the first worker has ended. Until then, the status of the service has all workers. */
  async drain(): Promise<void> {
    const ended = [...this.#workers].map((worker) => worker.exited);
    void this.close();
    if (ended.length > 0) await Promise.race(ended);
  }

  /** Resolves when all workers have ended. Repeated calls wait for the same end. */
  close(): Promise<void> {
    this.#closed ??= this.#stopAll();
    return this.#closed;
  }

  async #stopAll(): Promise<void> {
    this.#isClosing = true;
    this.#balancer.close();
    const workers = [...this.#workers];
    for (const worker of workers) worker.stop();
    const kill = setTimeout(() => {
      for (const worker of workers) worker.kill();
    }, this.#options.stopLimitMs);
    await Promise.all(workers.map((worker) => worker.exited));
    clearTimeout(kill);
  }

  #serving(): Worker[] {
    return [...this.#workers].filter((worker) => worker.isReady);
  }

  #requestAll<T>(ask: (worker: Worker) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#serving().map(ask));
  }

  /** Starts a worker, and replaces it whenever it ends. */
  async #keepOne(): Promise<ListenAddress> {
    const first = this.#start();
    const address = await first.ready;
    void this.#replace(first);
    return address;
  }

  async #replace(first: Worker): Promise<void> {
    let worker = first;
    const backoff = new Backoff(RESTART);
    while (true) {
      const startedAt = performance.now();
      const outcome = await worker.exited;
      if (this.#isClosing) return;
      this.#options.log.error({ process: worker.pid, outcome }, 'a worker ended and is replaced');
      if (performance.now() - startedAt > HEALTHY_MS) backoff.reset();
      await wait(backoff.next());
      if (this.#isClosing) return;
      worker = this.#start();
      worker.ready.catch((error: Error) => {
        this.#options.log.error({ reason: error.message }, 'a worker cannot serve');
      });
    }
  }

  #start(): Worker {
    const { workers, demoNetworks, isStrict } = this.#options;
    const task = {
      say: 'serve',
      configSource: this.#configSource,
      workers,
      demoNetworks,
      isStrict,
      cordons: this.cordons.names,
    } as const;
    const worker = new Worker(cluster.fork(), task);
    this.#workers.add(worker);
    void worker.exited.then(() => this.#workers.delete(worker));
    return worker;
  }
}

/** Returns the errors of a reload in a worker; undefined if there are none, or if the worker has ended. */
function findProblems(answer: WorkerAnswer | undefined, worker: Worker): readonly string[] | undefined {
  if (answer === undefined) return worker.isReady ? ['a worker did not answer in time'] : undefined;
  return 'failed' in answer ? answer.failed : undefined;
}
