import type { CancelSignal } from '../../util/cancel-source.ts';
import { UpstreamFault } from '../fault.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import type { SendOptions } from './transport.ts';

/** The request that a call shares with others, as far as the call knows it. */
export interface SharedRequest {
  /** The call is settled: its answer is not needed any more. */
  drop(): void;
}

/** One call that shares a request with others. Deadline, abort, reply and fault are its own. */
export class JoinedCall {
  readonly call: NodeCall;
  readonly options: SendOptions;
  readonly resolve: (reply: NodeReply) => void;
  readonly reject: (fault: UpstreamFault) => void;
  /** Set when the request is sent. */
  request: SharedRequest | undefined;
  #isOver = false;
  readonly #signal: CancelSignal | undefined;
  readonly #onAbort: (() => void) | undefined;

  constructor(
    call: NodeCall,
    options: SendOptions,
    resolve: (reply: NodeReply) => void,
    reject: (fault: UpstreamFault) => void,
  ) {
    this.call = call;
    this.options = options;
    this.resolve = resolve;
    this.reject = reject;
    this.#signal = options.signal;
    if (options.signal !== undefined) {
      this.#onAbort = () => {
        this.fail(new UpstreamFault('aborted', 'the call is not wanted any more'));
        this.request?.drop();
      };
      options.signal.addEventListener('abort', this.#onAbort);
    }
  }

  /** Settled, or handed back to be asked in another way. */
  get isOver(): boolean {
    return this.#isOver;
  }

  settle(reply: NodeReply): void {
    if (this.leave()) this.resolve(reply);
  }

  fail(fault: UpstreamFault): void {
    if (this.leave()) this.reject(fault);
  }

  /** Ends the sharing. @returns whether the call is still to be settled */
  leave(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}
