import type { CancelSignal } from './cancel-source.ts';
import type { SharedBudget } from './shared-budget.ts';
import type { TraceSpan } from './trace-span.ts';

/**
 * How far an answer is to be believed. `proven`: recomputed up to a hash that more than one node's word stands for. `agreed`: compared with what more than one
 * node said. `single`: one node's word.
 */
export type Trust = 'proven' | 'agreed' | 'single';

const TRUST_ORDER: Readonly<Record<Trust, number>> = { single: 0, agreed: 1, proven: 2 };

/** How a derived scope differs from the one that it is made of. */
type DerivedScope = { readonly deadline?: number; readonly isDetached?: boolean };

/** Charges the owner of a request for work that its calls turn out to need. */
export interface WorkMeter {
  /**
   * @param keys accounts, slots and codes that nodes are to prove
   * @param trips round trips that takes
   * @throws (or rejects with) the error that the call is to be answered with, where the owner cannot pay: then nothing is to be asked
   */
  pay(keys: number, trips: number): void | Promise<void>;
  /** The same for other work. @param name a row of the table of credits for work */
  payFor(name: string, count: number): void | Promise<void>;
}

/** What hears of an abort: a listener, or a scope inside that has one. */
type Dependent = (() => void) | RequestScope;

/**
 * What every part of a request has: the deadline, the signal for "the client has gone" or "time is up", the owner, the trace.
 * The scope is its own signal. An outer scope knows those inside only while they have listeners: most never have any, and
 * nearly all others have one, for which there is a field instead of a list.
 */
export class RequestScope implements CancelSignal {
  /** Milliseconds on the clock of `performance.now()`. */
  readonly deadline: number;
  /** When it began, on the same clock. */
  readonly startedAt: number;
  /** Milliseconds from the start to the deadline, for messages about it. */
  readonly limitMs: number;
  /** When the work for it ended, on the same clock, where that was done at once by something that reads the clock anyway; 0: not known. */
  endedAt = 0;
  readonly #parent: RequestScope | undefined;
  #aborted = false;
  /** Owner of the request; scopes made inside have the same. */
  owner: string | undefined;
  /** Bytes that answers may hold while they are put together; those of all requests share them. */
  answers: SharedBudget | undefined;
  /** Has the owner pay for work beyond what calls cover; scopes made inside have the same. */
  meter: WorkMeter | undefined;
  /** What its client calls the series of requests that it belongs to; scopes made inside have the same. */
  session: string | undefined;
  /** Identity of the batch that it is an item of, if any; scopes made inside have the same. */
  batch: object | undefined;
  /** The work that it is part of, where that is traced; scopes made inside begin with the same. */
  trace: TraceSpan | undefined;
  /** Whether a node had to be asked for the answer: set on a cache miss. */
  hasAskedNode = false;
  #trust: Trust | undefined;
  /** Whether its answer has been sent; undefined until that is known. Only the outermost scope knows. */
  #isSent: boolean | undefined;
  #sendListeners: ((isSent: boolean) => void)[] | undefined;
  #reason: unknown;
  #first: Dependent | undefined;
  /** Those beside the first, in the order in which they were added. */
  #others: Set<Dependent> | undefined;

  /** `now` is the present on the same clock, for callers that have just read it. */
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

  /** What it was aborted with, or the scope around it. */
  get reason(): unknown {
    if (this.#aborted || this.#parent === undefined) return this.#reason;
    return this.#parent.reason;
  }

  get signal(): CancelSignal {
    return this;
  }

  /** How far the answer is to be believed, where its sources have said it: as far as the least of them. */
  get trust(): Trust | undefined {
    return this.#trust;
  }

  /** Notes how far a part of the answer is to be believed. */
  noteTrust(trust: Trust): void {
    if (this.#trust === undefined || TRUST_ORDER[trust] < TRUST_ORDER[this.#trust]) this.#trust = trust;
  }

  /** Whether the transport has to say when the answer is sent: `whenSent` has been called. */
  get awaitsSending(): boolean {
    return this.#sendListeners !== undefined;
  }

  /**
   * Calls `listener` once with whether the whole answer of the request was handed to the client's connection. It may never be called where it was not.
   */
  whenSent(listener: (isSent: boolean) => void): void {
    if (this.#parent !== undefined) this.#parent.whenSent(listener);
    else if (this.#isSent !== undefined) listener(this.#isSent);
    else if (this.#sendListeners === undefined) this.#sendListeners = [listener];
    else this.#sendListeners.push(listener);
  }

  /** To be called by the transport on the scope that it made, when the answer is sent or will not be. Only the first call counts. */
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
   * The scope of a part of the work, of the same owner, bounds and trace and with the same limit in messages. With `isDetached` it does not end
   * with this scope and may have a later deadline: it ends by its own `abort`.
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

  /** Ends this scope and those inside it. Only the first call counts. */
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

  /** To be called when the work inside is done: the outer scope forgets this one, whatever still listens. */
  release(): void {
    if (this.#parent !== undefined) this.#parent.#remove(this);
  }

  #add(dependent: Dependent): void {
    if (this.#first === undefined) {
      this.#first = dependent;
      // An outer scope that was released meanwhile is known again, so that the outermost abort arrives here.
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
