import type { Lane, LaneReport } from './plan.ts';
import { isLimitRefusal, type Request } from './questions.ts';

const MAX_WRONG = 5;
const SHOWN = 200;

export type Reply = {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
};

/** Checks and counts the answers of one lane. */
export class Tally {
  readonly #lane: Lane;
  #since = performance.now();
  #due = 0;
  #right = 0;
  #limited = 0;
  #crossed = 0;
  #broken = 0;
  #failed = new Map<string, number>();
  #closes = new Map<string, number>();
  #wrong: string[] = [];
  #latencies: number[] = [];

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  countDue(): void {
    this.#due++;
  }

  /** @param reply response; one of a WebSocket has status 200 and no header */
  check(request: Request, dueAt: number, reply: Reply): void {
    const { status, text, retryAfter } = reply;
    if (status === 200 && text === request.answer) {
      this.#right++;
      this.#latencies.push(performance.now() - dueAt);
    } else if (
      this.#lane.mayBeLimited === true &&
      (this.#lane.transport === 'http' ? status === 429 && retryAfter !== undefined : status === 200) &&
      isLimitRefusal(text, request.id, retryAfter)
    ) {
      this.#limited++;
    } else {
      this.fail(status === 200 ? 'wrong answer' : `status ${status}`);
      if (this.#wrong.length < MAX_WRONG) this.#wrong.push(`${text.slice(0, SHOWN)} (${retryAfter})`);
    }
  }

  fail(kind: string): void {
    this.#failed.set(kind, (this.#failed.get(kind) ?? 0) + 1);
  }

  countClose(code: number): void {
    this.#closes.set(String(code), (this.#closes.get(String(code)) ?? 0) + 1);
  }

  countCrossed(): void {
    this.#crossed++;
  }

  /** Counts a connection that ended with an unanswered request. */
  countBroken(): void {
    this.#broken++;
  }

  /** Returns the counts without a reset. */
  read(): LaneReport {
    return {
      name: this.#lane.name,
      seconds: (performance.now() - this.#since) / 1_000,
      due: this.#due,
      right: this.#right,
      limited: this.#limited,
      failed: Object.fromEntries(this.#failed),
      wrong: this.#wrong,
      latencies: this.#latencies,
      closes: Object.fromEntries(this.#closes),
      crossed: this.#crossed,
      broken: this.#broken,
    };
  }

  /** Returns the counts and resets them. */
  cut(): LaneReport {
    const report = this.read();
    this.#since = performance.now();
    this.#due = this.#right = this.#limited = this.#crossed = this.#broken = 0;
    this.#failed = new Map();
    this.#closes = new Map();
    this.#wrong = [];
    this.#latencies = [];
    return report;
  }
}
