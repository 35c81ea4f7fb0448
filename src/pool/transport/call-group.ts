import type { UpstreamFault } from '../fault.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import { CoalescedCall } from './coalesced-call.ts';
import type { OnCompleteMany, SendOptions } from './transport.ts';

/** Calls that were sent at the same time with the same options; they share one abort listener. */
export class CallGroup {
  readonly options: SendOptions;
  readonly complete: OnCompleteMany;
  readonly #calls: GroupCall[] = [];
  /** Number of incomplete calls that are part of a shared request. */
  #sharing = 0;

  constructor(options: SendOptions, complete: OnCompleteMany) {
    this.options = options;
    this.complete = complete;
  }

  /** Adds a call, which is part of a shared request from now on. */
  add(call: NodeCall, position: number): GroupCall {
    if (this.#sharing++ === 0) this.options.signal?.addEventListener('abort', this.#abort);
    const joined = new GroupCall(this, call, position);
    this.#calls.push(joined);
    return joined;
  }

  /** Records that a call is complete or was taken out of its shared request. */
  noteLeft(): void {
    if (--this.#sharing === 0) this.options.signal?.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => {
    for (const call of this.#calls) call.abort();
  };
}

/** One call of a group. */
export class GroupCall extends CoalescedCall {
  readonly #group: CallGroup;
  readonly #position: number;

  constructor(group: CallGroup, call: NodeCall, position: number) {
    super(call, group.options);
    this.#group = group;
    this.#position = position;
  }

  resolve(reply: NodeReply): void {
    this.#group.complete.resolve(this.#position, reply);
  }

  reject(fault: UpstreamFault): void {
    this.#group.complete.reject(this.#position, fault);
  }

  protected ignoreAbort(): void {
    this.#group.noteLeft();
  }
}
