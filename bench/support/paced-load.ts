import { percentile } from '../load.ts';
import type { Target } from './ask.ts';
import { HttpConnection } from './http-connection.ts';

/** An open loop: requests are due at fixed times, whether or not earlier ones were answered. */
export type PacedPlan = Target & {
  /** Requests, sent in rotation. A function makes each request distinct: it returns the bytes of a connection's next request. */
  readonly requests: readonly Uint8Array[] | ((connection: number) => Uint8Array);
  /** Number of connections, 64 by default. */
  readonly connections?: number;
  readonly perSecond: number;
  readonly durationMs: number;
};

export type PacedResult = {
  readonly answered: number;
  readonly failed: number;
  /** Message of the first failure. */
  readonly failure: string | undefined;
  /** Number of failures by their message, with hex values and numbers of five or more digits replaced by N. */
  readonly failures: ReadonlyMap<string, number>;
  /** Milliseconds from when a request was due to its answer. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly longest: number;
};

export const USUAL_CONNECTIONS = 64;
/** Delay before a lost connection is reopened. */
const REOPEN_MS = 100;
/** Characters of a message that form the key in `failures`. */
const KIND_CHARACTERS = 120;
/** Cap on requests that are due and not sent because every connection waits for an answer. */
const MAX_WAITING = 100_000;
/** Time for outstanding answers after the end. */
const GRACE_MS = 5_000;
const TICK_MS = 1;

/** Sends due requests over idle connections, oldest first; latency counts from the due time until the answer. */
class PacedLoad {
  readonly #plan: PacedPlan;
  readonly #idle: Slot[] = [];
  readonly #waiting: number[] = [];
  readonly #latencies: number[] = [];
  readonly #slots: Slot[] = [];
  #sent = 0;
  #failed = 0;
  #failure: string | undefined;
  readonly #failures = new Map<string, number>();
  #hasEnded = false;

  constructor(plan: PacedPlan) {
    this.#plan = plan;
  }

  async run(): Promise<PacedResult> {
    const { perSecond, durationMs, connections = USUAL_CONNECTIONS } = this.#plan;
    await Promise.all(Array.from({ length: connections }, (_, index) => this.#connect(index)));
    const total = Math.floor((perSecond * durationMs) / 1_000);
    const startedAt = performance.now();
    let due = 0;
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const now = performance.now();
        while (due < total && startedAt + (due * 1_000) / perSecond <= now) {
          if (this.#waiting.length < MAX_WAITING) this.#waiting.push(startedAt + (due * 1_000) / perSecond);
          else this.#fail('too many requests wait');
          due++;
        }
        this.#sendWaiting();
        const isDone = due === total && this.#latencies.length + this.#failed === total;
        if (!isDone && now < startedAt + durationMs + GRACE_MS) return;
        clearInterval(timer);
        resolve();
      }, TICK_MS);
    });
    this.#hasEnded = true;
    for (const { connection } of this.#slots) connection.close();
    const unanswered = total - this.#latencies.length - this.#failed;
    if (unanswered > 0) this.#note(`no answer within ${GRACE_MS} ms of the end`, unanswered);
    const latencies = Float64Array.from(this.#latencies).sort();
    return {
      answered: latencies.length,
      failed: total - latencies.length,
      failure: this.#failure,
      failures: this.#failures,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      p999: percentile(latencies, 0.999),
      longest: percentile(latencies, 1),
    };
  }

  #connect(index: number): Promise<void> {
    const { port } = this.#plan;
    return new Promise((resolve) => {
      const slot: Slot = {
        index,
        dueAt: undefined,
        connection: new HttpConnection(
          { host: '127.0.0.1', port },
          {
            onConnect: () => {
              this.#idle.push(slot);
              resolve();
            },
            onAnswer: () => {
              this.#latencies.push(performance.now() - (slot.dueAt as number));
              slot.dueAt = undefined;
              this.#idle.push(slot);
              this.#sendWaiting();
            },
            onFailure: ({ message }) => {
              this.#lose(slot, message);
              resolve();
            },
          },
        ),
      };
      this.#slots[index] = slot;
    });
  }

  /** Fails the request in flight and replaces the connection by another one. */
  #lose(slot: Slot, message: string): void {
    if (this.#hasEnded || this.#slots[slot.index] !== slot) return;
    if (slot.dueAt === undefined) this.#note(message, 1);
    else this.#fail(message);
    const at = this.#idle.indexOf(slot);
    if (at >= 0) this.#idle.splice(at, 1);
    setTimeout(() => {
      if (!this.#hasEnded) void this.#connect(slot.index);
    }, REOPEN_MS);
  }

  #fail(message: string): void {
    this.#failed++;
    this.#note(message, 1);
  }

  #note(message: string, count: number): void {
    this.#failure ??= message;
    const kind = message.slice(0, KIND_CHARACTERS).replaceAll(/0x[0-9a-f]+|\d{5,}/g, 'N');
    this.#failures.set(kind, (this.#failures.get(kind) ?? 0) + count);
  }

  #sendWaiting(): void {
    const { requests } = this.#plan;
    while (this.#idle.length > 0 && this.#waiting.length > 0) {
      const slot = this.#idle.pop() as Slot;
      slot.dueAt = this.#waiting.shift() as number;
      slot.connection.send(
        typeof requests === 'function'
          ? requests(slot.index)
          : (requests[this.#sent++ % requests.length] as Uint8Array),
      );
    }
  }
}

type Slot = {
  readonly index: number;
  readonly connection: HttpConnection;
  /** Due time of its request, milliseconds; undefined while it has none. */
  dueAt: number | undefined;
};

/** Runs an open loop to its end. The latency of a late request counts from when it was due. */
export function runPacedLoad(plan: PacedPlan): Promise<PacedResult> {
  return new PacedLoad(plan).run();
}
