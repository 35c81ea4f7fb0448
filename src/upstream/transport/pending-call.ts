import type { CancelSignal } from '../../util/cancel-source.ts';
import type { Expiring, ExpirySweep } from '../../util/expiry-sweep.ts';
import { PassingMap } from '../../util/passing-map.ts';
import { UpstreamFault } from '../fault.ts';
import type { Message } from './message.ts';
import type { SendOptions } from './transport.ts';

export type PendingParts<T> = {
  /** Of the requests in the message that is sent. */
  readonly ids: readonly string[];
  readonly text: string;
  readonly options: SendOptions;
  /** Makes the value of the message that answers. */
  readonly read: (message: Message) => T;
  readonly resolve: (value: T) => void;
  readonly reject: (fault: UpstreamFault) => void;
};

/** What waits for an answer, whatever it will be. */
export interface Pending extends Expiring {
  readonly ids: readonly string[];
  readonly text: string;
  /** The request is sent: from now on the node has this many milliseconds. */
  beginWait(answerTimeout: number): void;
  settle(message: Message): void;
  fail(fault: UpstreamFault): void;
}

/** One call or batch that was sent over a WebSocket, or will be once it is connected. */
export class PendingCall<T> implements Pending {
  readonly ids: readonly string[];
  readonly text: string;
  expiresAt: number;
  sweepIndex = -1;
  readonly #calls: PendingCalls;
  readonly #read: (message: Message) => T;
  readonly #resolve: (value: T) => void;
  readonly #reject: (fault: UpstreamFault) => void;
  readonly #signal: CancelSignal | undefined;
  readonly #onAbort: (() => void) | undefined;

  constructor(calls: PendingCalls, { ids, text, options, read, resolve, reject }: PendingParts<T>) {
    this.ids = ids;
    this.text = text;
    this.expiresAt = options.deadline;
    this.#calls = calls;
    this.#read = read;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = options.signal;
    if (options.signal !== undefined) {
      this.#onAbort = () => this.fail(new UpstreamFault('aborted', 'the call is not wanted any more'));
      options.signal.addEventListener('abort', this.#onAbort);
    }
  }

  beginWait(answerTimeout: number): void {
    this.expiresAt = Math.min(this.expiresAt, performance.now() + answerTimeout);
  }

  expire(): void {
    this.fail(new UpstreamFault('timeout', 'the node did not answer in time'));
  }

  settle(message: Message): void {
    this.#end();
    let value: T;
    try {
      value = this.#read(message);
    } catch (error) {
      this.#reject(error as UpstreamFault);
      return;
    }
    this.#resolve(value);
  }

  fail(fault: UpstreamFault): void {
    this.#end();
    this.#reject(fault);
  }

  #end(): void {
    this.#calls.delete(this);
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

/** Everything that waits for an answer on one WebSocket, by the ids that were sent. */
export class PendingCalls {
  readonly #byId = new PassingMap<string, Pending>();
  readonly #sweep: ExpirySweep<Pending>;

  constructor(sweep: ExpirySweep<Pending>) {
    this.#sweep = sweep;
  }

  /** Calls and batches. */
  get size(): number {
    return this.#sweep.size;
  }

  get(id: string): Pending | undefined {
    return this.#byId.get(id);
  }

  /** The one that waits, when it is the only one. */
  getOnly(): Pending | undefined {
    return this.#sweep.size === 1 ? this.#sweep.list()[0] : undefined;
  }

  add(pending: Pending): void {
    for (const id of pending.ids) this.#byId.set(id, pending);
    this.#sweep.add(pending);
  }

  delete(pending: Pending): void {
    for (const id of pending.ids) this.#byId.delete(id);
    this.#sweep.delete(pending);
  }

  list(): Pending[] {
    return this.#sweep.list();
  }
}
