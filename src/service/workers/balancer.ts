import type { Worker } from './worker.ts';
import { findSurplus } from './worker-load.ts';

const INTERVAL_MS = 1_000;

/** Rebalances connections, which the kernel distributes unevenly: a worker with far too many closes some. */
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

  /** Never rejects. */
  async #balance(): Promise<void> {
    // A load covers the time since the last request, so a slow worker gets no second one meanwhile.
    if (this.#isBusy) return;
    this.#isBusy = true;
    const workers = this.#listWorkers();
    const answers = await Promise.all(workers.map((worker) => worker.ask({ what: 'load' })));
    const requested = workers.flatMap((worker, index) => {
      const answer = answers[index];
      return answer !== undefined && 'load' in answer ? [{ worker, load: answer.load }] : [];
    });
    const surplus = findSurplus(requested.map(({ load }) => load));
    // Workers without surplus are included: it replaces their previous instruction.
    await Promise.all(
      requested.map(({ worker }, index) =>
        worker.ask({ what: 'partWith', connections: surplus[index] ?? 0 }),
      ),
    );
    this.#isBusy = false;
  }
}
