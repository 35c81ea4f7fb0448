import { HttpSender } from './http-connection.ts';
import type { FixedQuestion, Lane, LaneReport } from './plan.ts';
import { ask, askFixed, type Request } from './questions.ts';
import { Tally } from './tally.ts';
import { WebSocketSender } from './web-socket.ts';

/** A request and its due time, whether or not a connection was free then. */
export type Due = { readonly request: Request; readonly at: number };

/** A connection of a lane. */
export interface Sender {
  /** Resolves when the connection is ready for use. */
  open(): Promise<void>;
  readonly canSend: boolean;
  /** Number of requests without an answer. */
  readonly owed: number;
  send(due: Due): void;
  close(): void;
}

/** Maximum number of due requests that wait for a free connection. */
const MAX_WAITING = 50_000;
/** Wait at the end for requests in flight. */
const GRACE_MS = 60_000;
const TICK_MS = 1;

let lastId = 0;

/** Sends due requests over any free connection, oldest first; latencies count from the due time. */
export class Pacer {
  readonly #tally: Tally;
  readonly #senders: readonly Sender[];
  readonly #waiting: Due[] = [];
  readonly #requests: readonly FixedQuestion[] | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Interval between two requests, milliseconds. */
  readonly #gap: number;
  #isFilling: boolean;
  #startedAt = 0;
  #due = 0;
  #next = 0;

  constructor(lane: Lane) {
    this.#tally = new Tally(lane);
    this.#requests = lane.requests;
    this.#isFilling = lane.perSecond === 'closed loop';
    // In a closed loop the timer only starts sending, and restarts it after a connection was lost.
    this.#gap = lane.perSecond === 'closed loop' ? Number.POSITIVE_INFINITY : 1_000 / lane.perSecond;
    const onIdle = (): void => this.#sendWaiting();
    const sendAgain = (due: Due): void => void this.#waiting.unshift(due);
    this.#senders = Array.from({ length: lane.connections }, () =>
      lane.transport === 'http'
        ? new HttpSender(lane, this.#tally, onIdle)
        : new WebSocketSender(lane, this.#tally, onIdle, sendAgain),
    );
  }

  async begin(): Promise<void> {
    await Promise.all(this.#senders.map((sender) => sender.open()));
    this.#tally.cut();
    // Lanes that begin together must not send at the same time.
    this.#startedAt = performance.now() + (this.#isFilling ? 0 : Math.random() * this.#gap);
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  look(): LaneReport {
    return this.#tally.read();
  }

  cut(): LaneReport {
    return this.#tally.cut();
  }

  async end(): Promise<LaneReport> {
    clearInterval(this.#timer);
    this.#isFilling = false;
    const until = performance.now() + GRACE_MS;
    while (this.#unsettled > 0 && performance.now() < until) {
      this.#sendWaiting();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (let count = this.#unsettled; count > 0; count--) this.#tally.fail('no answer');
    for (const sender of this.#senders) sender.close();
    return this.#tally.cut();
  }

  get #unsettled(): number {
    return this.#senders.reduce((sum, { owed }) => sum + owed, this.#waiting.length);
  }

  #tick(): void {
    const now = performance.now();
    for (let at = this.#startedAt + this.#due * this.#gap; !this.#isFilling && at <= now; at += this.#gap) {
      if (this.#waiting.length < MAX_WAITING) this.#plan(at);
      else this.#tally.fail('too many requests wait');
      this.#due++;
    }
    this.#sendWaiting();
  }

  #plan(at: number): void {
    this.#tally.countDue();
    const id = ++lastId;
    this.#waiting.push({
      request: this.#requests === undefined ? ask(id) : askFixed(id, this.#requests),
      at,
    });
  }

  #sendWaiting(): void {
    if (this.#isFilling && this.#waiting.length === 0) {
      for (const { canSend } of this.#senders) if (canSend) this.#plan(performance.now());
    }
    for (let tried = 0; this.#waiting.length > 0 && tried < this.#senders.length; tried++) {
      const sender = this.#senders[this.#next++ % this.#senders.length] as Sender;
      if (!sender.canSend) continue;
      sender.send(this.#waiting.shift() as Due);
      tried = -1;
    }
  }
}
