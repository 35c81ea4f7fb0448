import type { CordonAnswer, NodeName } from '../../admin/api/api-sources.ts';
import { SerialQueue } from '../../util/serial-queue.ts';
import type { WorkerAnswer } from './messages.ts';
import type { Worker } from './worker.ts';

/** Time limit of a cordon in a worker, ms; longer than a worker waits until another node has the served head. */
const CORDON_LIMIT_MS = 10_000;
/** Maximum wait for a worker that is starting, ms. */
const START_LIMIT_MS = 10_000;

/** Cordoned nodes of a pool of workers. The same nodes are cordoned in every worker, including workers that start later. */
export class WorkerCordons {
  readonly #workers: ReadonlySet<Worker>;
  readonly #startLimitMs: number;
  #names: readonly NodeName[] = [];
  /** Two changes at once could take both nodes of a network out of service. */
  readonly #changes = new SerialQueue();

  /**
   * @param workers all workers, including those that are starting
   * @param startLimitMs maximum wait for a worker that is starting, ms
   */
  constructor(workers: ReadonlySet<Worker>, startLimitMs: number = START_LIMIT_MS) {
    this.#workers = workers;
    this.#startLimitMs = startLimitMs;
  }

  /** Nodes that a worker which starts now must cordon. */
  get names(): readonly NodeName[] {
    return this.#names;
  }

  /**
   * Cordons a node in all workers. If a worker refuses, the node is cordoned in none.
   * @throws Error (by rejection) if a worker does not answer
   */
  cordon(name: NodeName, isForced: boolean): Promise<CordonAnswer> {
    return this.#changes.run(async () => {
      if (this.#names.some((known) => isSame(known, name))) return { outcome: 'done' };
      const answers = await this.#askAll((worker) =>
        worker.ask({ what: 'cordon', name, isForced }, CORDON_LIMIT_MS),
      );
      const problem = answers.find((answer) => answer?.outcome !== 'done');
      if (answers.length > 0 && !answers.some((answer) => answer?.outcome !== 'done')) {
        this.#names = [...this.#names, name];
        // Workers that began to start before the name was noted have not cordoned the node.
        await this.#askAll(
          (worker) => worker.ask({ what: 'cordon', name, isForced: true }, CORDON_LIMIT_MS),
          // Its replacement cordons the node before it serves.
          (stuck) => stuck.kill(),
        );
        return { outcome: 'done' };
      }
      await this.#askAll((worker) => worker.ask({ what: 'uncordon', name }, CORDON_LIMIT_MS));
      if (problem === undefined) throw new Error('a worker did not answer in time');
      return problem;
    });
  }

  /** @throws Error (by rejection) if a worker does not answer */
  uncordon(name: NodeName): Promise<CordonAnswer> {
    return this.#changes.run(async () => {
      this.#names = this.#names.filter((known) => !isSame(known, name));
      const answers = await this.#askAll((worker) => worker.ask({ what: 'uncordon', name }, CORDON_LIMIT_MS));
      const [first] = answers;
      if (first === undefined || answers.includes(undefined))
        throw new Error('a worker did not answer in time');
      return answers.find((answer) => answer?.outcome === 'done') ?? first;
    });
  }

  /**
   * Sends a request to all workers, once they serve. Workers that have ended are left out.
   * @param onStuck called for a worker that does not serve in time, which has no answer
   */
  async #askAll(
    ask: (worker: Worker) => Promise<WorkerAnswer | undefined>,
    onStuck?: (worker: Worker) => void,
  ): Promise<(CordonAnswer | undefined)[]> {
    const answers = await Promise.all(
      [...this.#workers].map(async (worker) => {
        const state = await worker.whenReady(this.#startLimitMs);
        if (state === 'ended') return [];
        if (state === 'starting') {
          onStuck?.(worker);
          return [undefined];
        }
        const answer = await ask(worker);
        if (answer === undefined && !worker.isReady) return [];
        return [answer !== undefined && 'cordon' in answer ? answer.cordon : undefined];
      }),
    );
    return answers.flat();
  }
}

function isSame(a: NodeName, b: NodeName): boolean {
  return a.network === b.network && a.node === b.node;
}
