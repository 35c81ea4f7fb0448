import { percentile } from '../load.ts';
import type { Target } from './ask.ts';
import { HttpConnection } from './http-connection.ts';

/** An open loop: requests are due at fixed times, whether or not earlier ones were answered. */
export type PacedPlan = Target & {
  readonly requests: readonly Uint8Array[];
  readonly perSecond: number;
  readonly durationMs: number;
};

export type PacedResult = {
  readonly answered: number;
  readonly failed: number;
  /** What the first failure said. */
  readonly failure: string | undefined;
  /** Milliseconds from when a request was due to its answer. */
  readonly p50: number;
  readonly p99: number;
};

const CONNECTIONS = 64;
/** Requests that are due and not sent, because every connection waits for an answer. */
const MAX_WAITING = 100_000;
/** For the answers that are still to come when the time is up. */
const GRACE_MS = 5_000;
const TICK_MS = 1;

/** Sends what is due over idle connections, oldest first; a time is due until it is answered. */
class PacedLoad {
  readonly #plan: PacedPlan;
  readonly #idle: Slot[] = [];
  readonly #waiting: number[] = [];
  readonly #latencies: number[] = [];
  readonly #slots: Slot[] = [];
  #sent = 0;
  #failed = 0;
  #failure: string | undefined;

  constructor(plan: PacedPlan) {
    this.#plan = plan;
  }

  async run(): Promise<PacedResult> {
    const { perSecond, durationMs } = this.#plan;
    await Promise.all(Array.from({ length: CONNECTIONS }, () => this.#connect()));
    const total = Math.floor((perSecond * durationMs) / 1_000);
    const startedAt = performance.now();
    let due = 0;
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const now = performance.now();
        while (due < total && startedAt + (due * 1_000) / perSecond <= now) {
          if (this.#waiting.length < MAX_WAITING) this.#waiting.push(startedAt + (due * 1_000) / perSecond);
          else this.#noteFailure('too many requests wait');
          due++;
        }
        this.#sendWaiting();
        const isDone = due === total && this.#latencies.length + this.#failed === total;
        if (!isDone && now < startedAt + durationMs + GRACE_MS) return;
        clearInterval(timer);
        resolve();
      }, TICK_MS);
    });
    for (const { connection } of this.#slots) connection.close();
    const latencies = Float64Array.from(this.#latencies).sort();
    return {
      answered: latencies.length,
      failed: total - latencies.length,
      failure: this.#failure,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
    };
  }

  #connect(): Promise<void> {
    const { port } = this.#plan;
    return new Promise((resolve) => {
      const slot: Slot = {
        dueAt: 0,
        connection: new HttpConnection(
          { host: '127.0.0.1', port },
          {
            onConnect: () => {
              this.#idle.push(slot);
              resolve();
            },
            onAnswer: () => {
              this.#latencies.push(performance.now() - slot.dueAt);
              this.#idle.push(slot);
              this.#sendWaiting();
            },
            // The connection is lost to the rest of the run.
            onFailure: ({ message }) => {
              this.#noteFailure(message);
              resolve();
            },
          },
        ),
      };
      this.#slots.push(slot);
    });
  }

  #noteFailure(message: string): void {
    this.#failed++;
    this.#failure ??= message;
  }

  #sendWaiting(): void {
    const { requests } = this.#plan;
    while (this.#idle.length > 0 && this.#waiting.length > 0) {
      const slot = this.#idle.pop() as Slot;
      slot.dueAt = this.#waiting.shift() as number;
      slot.connection.send(requests[this.#sent++ % requests.length] as Uint8Array);
    }
  }
}

type Slot = {
  readonly connection: HttpConnection;
  /** When its request should have been sent, milliseconds. */
  dueAt: number;
};

/** Runs an open loop to its end. A request that is late counts from when it was due. */
export function runPacedLoad(plan: PacedPlan): Promise<PacedResult> {
  return new PacedLoad(plan).run();
}
