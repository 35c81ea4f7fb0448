import type { CancelSignal } from './cancel-source.ts';
import type { SharedBudget } from './shared-budget.ts';
import type { TraceSpan } from './trace-span.ts';

/**
 * Trust level of an answer. `proven`: the answer was recomputed up to a hash that nodes of more than one operator back. `agreed`: the answer was compared with the answers
 * of more than one operator. `single`: only one operator reported the answer.
 */
export type Trust = 'proven' | 'agreed' | 'single';

const TRUST_ORDER: Readonly<Record<Trust, number>> = { single: 0, agreed: 1, proven: 2 };

/** Differences between a derived scope and the scope that it derives from. */
type DerivedScope = { readonly deadline?: number; readonly isDetached?: boolean };

/** Charges the owner of a request for work whose amount is known only while the calls of the request run. */
export interface WorkMeter {
  /**
   * Charges for state proofs.
   * @param keys number of accounts, slots and codes that nodes have to prove
   * @param roundTrips number of round trips to nodes
   * @throws (or rejects with) the error for the call, where the owner cannot pay. After the error, no request may be sent to nodes.
   */
  pay(keys: number, roundTrips: number): void | Promise<void>;
  /**
   * Charges for work other than state proofs. Throws the same errors as `pay`.
   * @param name name of the work in the table of credits
   */
  payFor(name: string, count: number): void | Promise<void>;
}

/** Receiver of an abort: a listener, or an inner scope that has a listener. */
type Dependent = (() => void) | RequestScope;

/**
 * Context of every part of a request: deadline, abort signal, owner, trace. The signal is aborted when the client has left, or when the time is up.
 * The scope itself implements the signal. An outer scope references an inner scope only while the inner scope has listeners. Most scopes never have a
 * listener. Nearly all scopes with listeners have one listener, which is stored in a field instead of a list.
 */
export class RequestScope implements CancelSignal {
  /** Deadline, milliseconds on the clock of `performance.now()`. */
  readonly deadline: number;
  /** Start time, milliseconds on the clock of `performance.now()`. */
  readonly startedAt: number;
  /**
   * Time limit that messages about the deadline name, ms; never the time that was left when the scope was created. By default, it is the limit of the
   * outer scope whose deadline applies, otherwise the time from the start to the deadline.
   */
  readonly limitMs: number;
  /** Whether the deadline is the time limit of one call, and not the later one of its body or message. */
  isCallLimit = false;
  /**
   * End of the work, milliseconds on the clock of `performance.now()`; 0 means unknown. Synchronous work that reads the clock anyway sets `endedAt`.
   */
  endedAt = 0;
  readonly #parent: RequestScope | undefined;
  #aborted = false;
  /** Owner of the request. Inner scopes inherit the owner. */
  owner: string | undefined;
  /** Budget of bytes for answers while they are assembled. All requests share the budget. */
  answers: SharedBudget | undefined;
  /** Charges the owner for work that the credits of a call do not include. Inner scopes inherit the meter. */
  meter: WorkMeter | undefined;
  /** Name of the series of requests that this request belongs to, chosen by the client. Inner scopes inherit the name. */
  session: string | undefined;
  /** Identity of the batch that the request belongs to, if any. Inner scopes inherit the identity. */
  batch: object | undefined;
  /** Trace span that contains this scope; undefined for an untraced request. Inner scopes begin with this span. */
  trace: TraceSpan | undefined;
  /** Whether the answer needed a request to a node. The value becomes true on a cache miss. */
  hasCalledNode = false;
  #trust: Trust | undefined;
  /** Whether the answer of the request has been sent. Undefined until the transport reports it, and always undefined in inner scopes. */
  #isSent: boolean | undefined;
  #sendListeners: ((isSent: boolean) => void)[] | undefined;
  #reason: unknown;
  #first: Dependent | undefined;
  /** Dependents other than `#first`, in order of addition. */
  #others: Set<Dependent> | undefined;

  /**
   * @param deadline milliseconds on the clock of `performance.now()`; the deadline of `parent` applies if it is earlier
   * @param now current time on this clock, for callers that have just read it
   * @param limitMs time limit that messages name if the deadline of `parent` does not apply; by default the time to the deadline
   */
  constructor(deadline: number, parent?: RequestScope, now: number = performance.now(), limitMs?: number) {
    this.deadline = parent === undefined ? deadline : Math.min(deadline, parent.deadline);
    this.startedAt = now;
    this.limitMs =
      parent !== undefined && parent.deadline <= deadline
        ? parent.limitMs
        : (limitMs ?? Math.max(0, this.deadline - now));
    this.#parent = parent;
    this.owner = parent?.owner;
    this.answers = parent?.answers;
    this.meter = parent?.meter;
    this.session = parent?.session;
    this.batch = parent?.batch;
    this.trace = parent?.trace;
  }

  get aborted(): boolean {
    return this.#aborted || (this.#parent?.aborted ?? false);
  }

  /** Abort reason of this scope, or of the outer scope that was aborted. */
  get reason(): unknown {
    if (this.#aborted || this.#parent === undefined) return this.#reason;
    return this.#parent.reason;
  }

  get signal(): CancelSignal {
    return this;
  }

  /** Trust level of the answer: the lowest trust level of any part of the answer. The level is undefined until a part has recorded one. */
  get trust(): Trust | undefined {
    return this.#trust;
  }

  /** Records the trust level of a part of the answer. */
  noteTrust(trust: Trust): void {
    if (this.#trust === undefined || TRUST_ORDER[trust] < TRUST_ORDER[this.#trust]) this.#trust = trust;
  }

  /** Whether `whenSent` was called. If `whenSent` was called, the transport has to call `noteSent`. */
  get awaitsSending(): boolean {
    return this.#sendListeners !== undefined;
  }

  /**
   * Calls `listener` once. The argument of `listener` is whether the whole answer of the request was passed to the client's connection. `listener`
   * may never be called if the answer was not passed on.
   */
  whenSent(listener: (isSent: boolean) => void): void {
    if (this.#parent !== undefined) this.#parent.whenSent(listener);
    else if (this.#isSent !== undefined) listener(this.#isSent);
    else if (this.#sendListeners === undefined) this.#sendListeners = [listener];
    else this.#sendListeners.push(listener);
  }

  /** Reports whether the answer was sent. The transport calls `noteSent` on the outermost scope of a request. Only the first call has an effect. */
  noteSent(isSent: boolean): void {
    if (this.#isSent !== undefined) return;
    this.#isSent = isSent && !this.#aborted;
    const listeners = this.#sendListeners;
    this.#sendListeners = undefined;
    for (const listener of listeners ?? []) listener(this.#isSent);
  }

  /** Adds a listener. The listener is called at most once, and never if it is added after the abort. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.#add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#remove(listener);
  }

  /**
   * Creates the scope of a part of the work. The new scope inherits the owner, the bounds, the trace and the `limitMs` of this scope. With
   * `isDetached`, the new scope does not end with this scope, and may have a later deadline. A detached scope ends only by its own `abort`.
   */
  derive({ deadline = this.deadline, isDetached = false }: DerivedScope = {}): RequestScope {
    const scope = new RequestScope(deadline, isDetached ? undefined : this, this.startedAt, this.limitMs);
    scope.owner = this.owner;
    scope.answers = this.answers;
    scope.meter = this.meter;
    scope.session = this.session;
    scope.batch = this.batch;
    scope.trace = this.trace;
    return scope;
  }

  /** Aborts this scope and its inner scopes. Only the first call has an effect. */
  abort(reason?: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    const first = this.#first;
    const others = this.#others;
    this.#first = undefined;
    this.#others = undefined;
    if (first !== undefined) notify(first, reason);
    for (const dependent of others ?? []) notify(dependent, reason);
  }

  /** Detaches the scope from its outer scope, even if listeners remain. Called when the work of the scope is done. */
  release(): void {
    if (this.#parent !== undefined) this.#parent.#remove(this);
  }

  #add(dependent: Dependent): void {
    if (this.#first === undefined) {
      this.#first = dependent;
      // If this scope was detached from its outer scope, it is attached again. An abort of the outermost scope then reaches this scope.
      if (this.#others === undefined && this.#parent !== undefined) this.#parent.#add(this);
    } else if (this.#first !== dependent) {
      this.#others ??= new Set();
      this.#others.add(dependent);
    }
  }

  #remove(dependent: Dependent): void {
    if (this.#first === dependent) this.#first = undefined;
    else if (this.#others?.delete(dependent) === true && this.#others.size === 0) this.#others = undefined;
    else return;
    if (this.#parent !== undefined && this.#first === undefined && this.#others === undefined)
      this.#parent.#remove(this);
  }
}

function notify(dependent: Dependent, reason: unknown): void {
  if (dependent instanceof RequestScope) dependent.abort(reason);
  else dependent();
}
