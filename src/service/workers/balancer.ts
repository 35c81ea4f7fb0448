import type { Worker } from './worker.ts';
import { findSurplus } from './worker-load.ts';

const INTERVAL_MS = 1_000;

/** Rebalances connections, which the kernel distributes unevenly: a worker with far too many connections closes some of them. */
export class Balancer {
  readonly #listWorkers: () => readonly Worker[];
  readonly #timer: NodeJS.Timeout;
  #isBusy = false;

  /** @param listWorkers returns the serving workers */
  constructor(listWorkers: () => readonly Worker[]) {
    this.#listWorkers = listWorkers;
    this.#timer = setInterval(() => void this.#balance(), INTERVAL_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Compares the loads of the workers once, and sends each worker the number of connections to close. Never rejects. */
  async #balance(): Promise<void> {
    // A worker reports its load since the previous request for the load. A slow worker must therefore not get a second request before it has replied.
    if (this.#isBusy) return;
    this.#isBusy = true;
    const workers = this.#listWorkers();
    const answers = await Promise.all(workers.map((worker) => worker.ask({ what: 'load' })));
    const requested = workers.flatMap((worker, index) => {
      const answer = answers[index];
      return answer !== undefined && 'load' in answer ? [{ worker, load: answer.load }] : [];
    });
    const surplus = findSurplus(requested.map(({ load }) => load));
    // Workers without surplus get an instruction too, which replaces the previous one.
    await Promise.all(
      requested.map(({ worker }, index) =>
        worker.ask({ what: 'partWith', connections: surplus[index] ?? 0 }),
      ),
    );
    this.#isBusy = false;
  }
}
