import type { CancelSignal } from '../../util/cancel-source.ts';
import { UpstreamFault } from '../fault.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import type { SendOptions, Settle } from './transport.ts';

/** The request that a call shares with others, as far as the call knows it. */
export interface SharedRequest {
  /** The call is settled: its answer is not needed any more. */
  drop(): void;
}

/** One call that shares a request with others. Deadline, abort, reply and fault are its own. */
export abstract class JoinedCall implements Settle<NodeReply> {
  readonly call: NodeCall;
  readonly options: SendOptions;
  /** Set when the request is sent. */
  request: SharedRequest | undefined;
  #isOver = false;

  constructor(call: NodeCall, options: SendOptions) {
    this.call = call;
    this.options = options;
  }

  /** Settled, or handed back to be asked in another way. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Tells what became of the call, to the end of its sharing or behind it. */
  abstract resolve(reply: NodeReply): void;
  abstract reject(fault: UpstreamFault): void;

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
    this.ignoreAbort();
    return true;
  }

  /** The caller gives up. */
  abort(): void {
    if (this.#isOver) return;
    this.fail(new UpstreamFault('aborted', 'the call is not wanted any more'));
    this.request?.drop();
  }

  /** From now on an abort is another's to notice. */
  protected abstract ignoreAbort(): void;
}

/** A call that was given by itself. */
export class SingleCall extends JoinedCall {
  readonly #settle: Settle<NodeReply>;
  readonly #signal: CancelSignal | undefined;
  readonly #onAbort: (() => void) | undefined;

  constructor(call: NodeCall, options: SendOptions, settle: Settle<NodeReply>) {
    super(call, options);
    this.#settle = settle;
    this.#signal = options.signal;
    if (options.signal === undefined) return;
    this.#onAbort = () => this.abort();
    options.signal.addEventListener('abort', this.#onAbort);
  }

  resolve(reply: NodeReply): void {
    this.#settle.resolve(reply);
  }

  reject(fault: UpstreamFault): void {
    this.#settle.reject(fault);
  }

  protected ignoreAbort(): void {
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}
