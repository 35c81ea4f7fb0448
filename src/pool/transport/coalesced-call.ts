import type { CancelSignal } from '../../util/cancel-source.ts';
import { UpstreamFault } from '../fault.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import type { OnComplete, SendOptions } from './transport.ts';

/** Interface of a shared request for its calls. */
export interface CoalescedRequest {
  /** Records that one call no longer needs its answer. */
  drop(): void;
}

/** One call that shares a request with other calls. Deadline, abort, reply and fault are separate for each call. */
export abstract class CoalescedCall implements OnComplete<NodeReply> {
  readonly call: NodeCall;
  readonly options: SendOptions;
  /** Shared request of the call; undefined until it is sent. */
  request: CoalescedRequest | undefined;
  #isOver = false;

  constructor(call: NodeCall, options: SendOptions) {
    this.call = call;
    this.options = options;
  }

  /** Whether the call is complete, or was taken out of the shared request to be sent alone. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Completes the call with its outcome, while it shares the request or afterwards. */
  abstract resolve(reply: NodeReply): void;
  abstract reject(fault: UpstreamFault): void;

  complete(reply: NodeReply): void {
    if (this.leave()) this.resolve(reply);
  }

  fail(fault: UpstreamFault): void {
    if (this.leave()) this.reject(fault);
  }

  /**
   * Takes the call out of the shared request.
   * @returns whether the call still must be completed
   */
  leave(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.ignoreAbort();
    return true;
  }

  /** Handles an abort by the caller. */
  abort(): void {
    if (this.#isOver) return;
    this.fail(new UpstreamFault('aborted', 'the call was cancelled'));
    this.request?.drop();
  }

  /** Removes the abort listener of the call, because the call no longer belongs to the shared request. */
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
