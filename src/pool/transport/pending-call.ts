import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { CancelSignal } from '../../util/cancel-source.ts';
import type { Expiring, ExpirySweep } from '../../util/expiry-sweep.ts';
import { Lru } from '../../util/lru.ts';
import { PassingMap } from '../../util/passing-map.ts';
import { UpstreamFault } from '../fault.ts';
import { type AnswerBounds, loosen, NOTIFICATION } from './answer-bounds.ts';
import type { NodeMessage } from './message.ts';
import type { Expectations } from './message-gate.ts';
import type { SendOptions } from './transport.ts';

export type PendingParts<T> = {
  /** JSON-RPC ids of the calls in `text`. */
  readonly ids: readonly string[];
  readonly text: string;
  /** Bounds of the answer. */
  readonly bounds: AnswerBounds;
  /** Whether the answer is a list. */
  readonly isBatch: boolean;
  /** Charges the calls. Called at most once, if the provider of the node bills them. */
  readonly charge: () => void;
  readonly options: SendOptions;
  /** Reads the value of the call from the message that answers it. */
  readonly read: (message: NodeMessage) => PromiseOrValue<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (fault: UpstreamFault) => void;
};

/** A call or batch that waits for its answer, independent of the type of its value. */
export interface Pending extends Expiring {
  readonly ids: readonly string[];
  readonly text: string;
  readonly bounds: AnswerBounds;
  readonly isBatch: boolean;
  /** Starts the answer timeout (ms) when the request is sent. */
  beginWait(answerTimeout: number): void;
  complete(message: NodeMessage): void;
  fail(fault: UpstreamFault): void;
  /** Fails the call because its connection is lost. */
  lose(fault: UpstreamFault): void;
}

/** One call or batch that was sent over a WebSocket, or that waits for the WebSocket to be connected. */
export class PendingCall<T> implements Pending {
  readonly ids: readonly string[];
  readonly text: string;
  readonly bounds: AnswerBounds;
  readonly isBatch: boolean;
  expiresAt: number;
  sweepIndex = -1;
  readonly #calls: PendingCalls;
  readonly #charge: () => void;
  #isSent = false;
  readonly #read: (message: NodeMessage) => PromiseOrValue<T>;
  readonly #resolve: (value: T) => void;
  readonly #reject: (fault: UpstreamFault) => void;
  readonly #signal: CancelSignal | undefined;
  readonly #onAbort: (() => void) | undefined;

  constructor(calls: PendingCalls, parts: PendingParts<T>) {
    const { ids, text, bounds, isBatch, charge, options, read, resolve, reject } = parts;
    this.ids = ids;
    this.text = text;
    this.bounds = bounds;
    this.isBatch = isBatch;
    this.expiresAt = options.deadline;
    this.#calls = calls;
    this.#charge = charge;
    this.#read = read;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = options.signal;
    if (options.signal !== undefined) {
      this.#onAbort = () => this.fail(new UpstreamFault('aborted', 'the call was cancelled'));
      options.signal.addEventListener('abort', this.#onAbort);
    }
  }

  beginWait(answerTimeout: number): void {
    this.#isSent = true;
    this.expiresAt = Math.min(this.expiresAt, performance.now() + answerTimeout);
  }

  expire(): void {
    this.fail(new UpstreamFault('timeout', 'the node did not answer in time'));
  }

  complete(message: NodeMessage): void {
    this.#end(true);
    this.#charge();
    let value: PromiseOrValue<T>;
    try {
      value = this.#read(message);
    } catch (error) {
      this.#reject(error as UpstreamFault);
      return;
    }
    if (value instanceof Promise) value.then(this.#resolve, this.#reject);
    else this.#resolve(value);
  }

  fail(fault: UpstreamFault): void {
    if (this.#isSent) this.#charge();
    this.lose(fault);
  }

  lose(fault: UpstreamFault): void {
    this.#end(false);
    this.#reject(fault);
  }

  #end(isAnswered: boolean): void {
    this.#calls.delete(this, isAnswered);
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

/** Maximum number of remembered abandoned calls, for which an answer may still arrive. */
const MAX_LATE = 1_024;

/** All calls and batches that wait for an answer on one WebSocket, by request id. */
export class PendingCalls implements Expectations {
  readonly #byId = new PassingMap<string, Pending>();
  readonly #late = new Lru<string, AnswerBounds>(MAX_LATE, Number.POSITIVE_INFINITY);
  /**
   * Number of waiting calls that have the same bounds, by bounds. There are few different bounds, because most calls have the bounds of one of the
   * rows in `answer-bounds.ts`.
   */
  readonly #bounds = new Map<AnswerBounds, number>();
  #loosest: AnswerBounds | undefined;
  readonly #sweep: ExpirySweep<Pending>;

  constructor(sweep: ExpirySweep<Pending>) {
    this.#sweep = sweep;
  }

  /** Number of calls and batches. */
  get size(): number {
    return this.#sweep.size;
  }

  get(id: string): Pending | undefined {
    return this.#byId.get(id);
  }

  /** Returns the waiting call if exactly one call waits. */
  getOnly(): Pending | undefined {
    return this.#sweep.size === 1 ? this.#sweep.list()[0] : undefined;
  }

  /**
   * Bounds for a message while its id has not arrived. The bounds admit every expected answer, and also a notification, which a node may send at any
   * time.
   */
  get loosest(): AnswerBounds {
    this.#loosest ??= loosen([NOTIFICATION, ...this.#bounds.keys()]);
    return this.#loosest;
  }

  /** Bounds for a list of answers to any waiting batch. */
  get listBounds(): AnswerBounds {
    const batches = this.#sweep.list().filter(({ isBatch }) => isBatch);
    return loosen([NOTIFICATION, ...batches.map(({ bounds }) => bounds)]);
  }

  boundsOf(id: string): AnswerBounds | undefined {
    return this.#byId.get(id)?.bounds ?? this.#late.get(id);
  }

  fail(id: string, fault: UpstreamFault): void {
    this.#byId.get(id)?.fail(fault);
  }

  /** Whether the id belongs to an abandoned call. Removes the id, so that only one answer to an abandoned call is accepted. */
  takeLate(id: string): boolean {
    const isLate = this.#late.get(id) !== undefined;
    this.#late.delete(id);
    return isLate;
  }

  /** Forgets abandoned calls when the connection ends, because no answers to them can arrive any more. */
  forgetLate(): void {
    this.#late.clear();
  }

  add(pending: Pending): void {
    for (const id of pending.ids) this.#byId.set(id, pending);
    this.#sweep.add(pending);
    const count = this.#bounds.get(pending.bounds) ?? 0;
    this.#bounds.set(pending.bounds, count + 1);
    if (count === 0) this.#loosest = undefined;
  }

  delete(pending: Pending, isAnswered: boolean): void {
    for (const id of pending.ids) {
      this.#byId.delete(id);
      if (!isAnswered) this.#late.set(id, pending.bounds);
    }
    this.#sweep.delete(pending);
    const count = this.#bounds.get(pending.bounds) ?? 1;
    if (count > 1) {
      this.#bounds.set(pending.bounds, count - 1);
      return;
    }
    this.#bounds.delete(pending.bounds);
    this.#loosest = undefined;
  }

  list(): Pending[] {
    return this.#sweep.list();
  }
}
