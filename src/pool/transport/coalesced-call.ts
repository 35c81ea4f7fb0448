import type { CancelSignal } from '../../util/cancel-source.ts';
import { UpstreamFault } from '../fault.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import type { OnComplete, SendOptions } from './transport.ts';

/** The request that a call shares with others, as seen by the call. */
export interface CoalescedRequest {
  /** Notes that the call is complete and its answer is not needed any more. */
  drop(): void;
}

/** One call that shares a request with others. Deadline, abort, reply and fault are its own. */
export abstract class CoalescedCall implements OnComplete<NodeReply> {
  readonly call: NodeCall;
  readonly options: SendOptions;
  /** Set when the request is sent. */
  request: CoalescedRequest | undefined;
  #isOver = false;

  constructor(call: NodeCall, options: SendOptions) {
    this.call = call;
    this.options = options;
  }

  /** Whether the call is complete, or handed back to be sent in another way. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Settles the call with its outcome, while it shares the request or afterwards. */
  abstract resolve(reply: NodeReply): void;
  abstract reject(fault: UpstreamFault): void;

  complete(reply: NodeReply): void {
    if (this.leave()) this.resolve(reply);
  }

  fail(fault: UpstreamFault): void {
    if (this.leave()) this.reject(fault);
  }

  /**
   * Ends the sharing.
   * @returns whether the call still has to be completed
   */
  leave(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.ignoreAbort();
    return true;
  }

  /** Handles the abort of the caller. */
  abort(): void {
    if (this.#isOver) return;
    this.fail(new UpstreamFault('aborted', 'the call was cancelled'));
    this.request?.drop();
  }

  /** Removes the abort listener: from now on another component handles an abort. */
  protected abstract ignoreAbort(): void;
}

/** A call that was sent individually. */
export class SingleCall extends CoalescedCall {
  readonly #complete: OnComplete<NodeReply>;
  readonly #signal: CancelSignal | undefined;
  readonly #onAbort: (() => void) | undefined;

  constructor(call: NodeCall, options: SendOptions, complete: OnComplete<NodeReply>) {
    super(call, options);
    this.#complete = complete;
    this.#signal = options.signal;
    if (options.signal === undefined) return;
    this.#onAbort = () => this.abort();
    options.signal.addEventListener('abort', this.#onAbort);
  }

  resolve(reply: NodeReply): void {
    this.#complete.resolve(reply);
  }

  reject(fault: UpstreamFault): void {
    this.#complete.reject(fault);
  }

  protected ignoreAbort(): void {
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}
