import type { CancelSignal } from './cancel-source.ts';
import type { SharedBudget } from './shared-budget.ts';
import type { TraceSpan } from './trace-span.ts';

/**
 * Trust level of an answer. `proven`: recomputed up to a hash backed by more than one node's word. `agreed`:
 * compared with answers of more than one node. `single`: one node's word.
 */
export type Trust = 'proven' | 'agreed' | 'single';

const TRUST_ORDER: Readonly<Record<Trust, number>> = { single: 0, agreed: 1, proven: 2 };

/** Differences of a derived scope from its source. */
type DerivedScope = { readonly deadline?: number; readonly isDetached?: boolean };

/** Charges the owner of a request for work that its calls turn out to need. */
export interface WorkMeter {
  /**
   * Charges for state proofs.
   * @param keys accounts, slots and codes that nodes are to prove
   * @param trips round trips needed
   * @throws the error to answer the call with (or rejects with it), where the owner cannot pay: then no request may
   * be sent
   */
  pay(keys: number, roundTrips: number): void | Promise<void>;
  /**
   * Charges for other work; throws like `pay`.
   * @param name a row of the table of credits for work
   */
  payFor(name: string, count: number): void | Promise<void>;
}

/** A receiver of an abort: a listener, or an inner scope that has one. */
type Dependent = (() => void) | RequestScope;

/**
 * Context of every part of a request: deadline, abort signal (the client has left, or time is up), owner, trace.
 * The scope is its own signal. An outer scope references inner ones only while they have listeners: most never have
 * any, and nearly all others have one, stored in a field instead of a list.
 */
export class RequestScope implements CancelSignal {
  /** Milliseconds on the clock of `performance.now()`. */
  readonly deadline: number;
  /** Start time on the same clock. */
  readonly startedAt: number;
  /** Milliseconds from the start to the deadline, for messages about it. */
  readonly limitMs: number;
  /** End of the work on the same clock, set by synchronous work that reads the clock anyway; 0: unknown. */
  endedAt = 0;
  readonly #parent: RequestScope | undefined;
  #aborted = false;
  /** Owner of the request; inherited by inner scopes. */
  owner: string | undefined;
  /** Budget of bytes for answers while they are assembled, shared by all requests. */
  answers: SharedBudget | undefined;
  /** Charges the owner for work beyond the price of calls; inherited by inner scopes. */
  meter: WorkMeter | undefined;
  /** Client-chosen name of the series of requests that it belongs to; inherited by inner scopes. */
  session: string | undefined;
  /** Identity of its batch, if any; inherited by inner scopes. */
  batch: object | undefined;
  /** Span that it is part of, where it is traced; inner scopes begin with the same. */
  trace: TraceSpan | undefined;
  /** Whether a request to a node was needed for the answer: set on a cache miss. */
  hasCalledNode = false;
  #trust: Trust | undefined;
  /** Whether its answer has been sent; undefined until that is known. Only set in the outermost scope. */
  #isSent: boolean | undefined;
  #sendListeners: ((isSent: boolean) => void)[] | undefined;
  #reason: unknown;
  #first: Dependent | undefined;
  /** Dependents beside the first, in order of addition. */
  #others: Set<Dependent> | undefined;

  /**
   * @param deadline milliseconds on the clock of `performance.now()`, limited by that of `parent`
   * @param now current time on the same clock, for callers that have just read it
   * @param limitMs the limit in messages; by default the time to the deadline
   */
  constructor(deadline: number, parent?: RequestScope, now: number = performance.now(), limitMs?: number) {
    this.deadline = parent === undefined ? deadline : Math.min(deadline, parent.deadline);
    this.startedAt = now;
    this.limitMs = limitMs ?? this.deadline - now;
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

  /** Abort reason of this scope, or of an outer one. */
  get reason(): unknown {
    if (this.#aborted || this.#parent === undefined) return this.#reason;
    return this.#parent.reason;
  }

  get signal(): CancelSignal {
    return this;
  }

  /** Trust of the answer: the lowest of its sources; undefined while none is recorded. */
  get trust(): Trust | undefined {
    return this.#trust;
  }

  /** Records the trust of a part of the answer. */
  noteTrust(trust: Trust): void {
    if (this.#trust === undefined || TRUST_ORDER[trust] < TRUST_ORDER[this.#trust]) this.#trust = trust;
  }

  /** Whether `whenSent` was called, so that the transport has to report the sending. */
  get awaitsSending(): boolean {
    return this.#sendListeners !== undefined;
  }

  /**
   * Calls `listener` once with whether the whole answer of the request was passed to the client's connection. It
   * may never be called if it was not.
   */
  whenSent(listener: (isSent: boolean) => void): void {
    if (this.#parent !== undefined) this.#parent.whenSent(listener);
    else if (this.#isSent !== undefined) listener(this.#isSent);
    else if (this.#sendListeners === undefined) this.#sendListeners = [listener];
    else this.#sendListeners.push(listener);
  }

  /**
   * Reports that the answer is sent or will not be; called by the transport on its outermost scope. Only the first
   * call counts.
   */
  noteSent(isSent: boolean): void {
    if (this.#isSent !== undefined) return;
    this.#isSent = isSent && !this.#aborted;
    const listeners = this.#sendListeners;
    this.#sendListeners = undefined;
    for (const listener of listeners ?? []) listener(this.#isSent);
  }

  /** Each listener is called once at most; never after the abort. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.#add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#remove(listener);
  }

  /**
   * Creates the scope of a part of the work, with the same owner, bounds and trace, and the same limit in messages.
   * With `isDetached` it does not end with this scope and may have a later deadline: it ends by its own `abort`.
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

  /** Aborts this scope and inner ones. Only the first call counts. */
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

  /** Detaches the scope from the outer one when its work is done, regardless of remaining listeners. */
  release(): void {
    if (this.#parent !== undefined) this.#parent.#remove(this);
  }

  #add(dependent: Dependent): void {
    if (this.#first === undefined) {
      this.#first = dependent;
      // A scope that was released meanwhile is attached again, so that an outermost abort arrives here.
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
