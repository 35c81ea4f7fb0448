import { CancelSource } from './cancel-source.ts';
import type { TraceSpan } from './trace-span.ts';

/** How a derived scope differs from the one that it is made of. */
type DerivedScope = { readonly deadline?: number; readonly isDetached?: boolean };

/**
 * What every part of a request has: the deadline, the signal for "the client has gone" or "time is up", the owner, the trace.
 * Most requests never read the signal, so it is made on first use.
 */
export class RequestScope {
  /** Milliseconds on the clock of `performance.now()`. */
  readonly deadline: number;
  /** Milliseconds from the start to the deadline, for messages about it. */
  readonly limitMs: number;
  readonly #parent: RequestScope | undefined;
  #source: CancelSource | undefined;
  #aborted = false;
  /** Whose request it is; scopes made inside have the same. */
  owner: string | undefined;
  /** The work that it is part of, where that is traced; scopes made inside begin with the same. */
  trace: TraceSpan | undefined;
  /** Whether a node had to be asked for the answer: noted by who asks. */
  hasAskedNode = false;
  #reason: unknown;
  /** Scopes inside this one that have a signal to be fired. */
  #children: Set<RequestScope> | undefined;

  /** `now` is the present on the same clock, for those who have just looked. */
  constructor(deadline: number, parent?: RequestScope, now: number = performance.now(), limitMs?: number) {
    this.deadline = parent === undefined ? deadline : Math.min(deadline, parent.deadline);
    this.limitMs = limitMs ?? this.deadline - now;
    this.#parent = parent;
    this.owner = parent?.owner;
    this.trace = parent?.trace;
  }

  get aborted(): boolean {
    return this.#aborted || (this.#parent?.aborted ?? false);
  }

  get signal(): CancelSource {
    if (this.#source === undefined) {
      this.#source = new CancelSource();
      if (this.aborted) this.#source.abort(this.#findReason());
      else if (this.#parent !== undefined) this.#parent.#adopt(this);
    }
    return this.#source;
  }

  /**
   * The scope of a part of the work, of the same owner and trace and with the same limit in messages. With `isDetached` it does not end
   * with this scope and may have a later deadline: it ends by its own `abort`.
   */
  derive({ deadline = this.deadline, isDetached = false }: DerivedScope = {}): RequestScope {
    const scope = new RequestScope(deadline, isDetached ? undefined : this, 0, this.limitMs);
    scope.owner = this.owner;
    scope.trace = this.trace;
    return scope;
  }

  /** Ends this scope and those inside it. Only the first call counts. */
  abort(reason?: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#source?.abort(reason);
    for (const child of this.#children ?? []) child.abort(reason);
    this.#children = undefined;
  }

  /** To be called when the work inside is done: the outer scope forgets this one. */
  release(): void {
    if (this.#parent !== undefined) this.#parent.#forget(this);
  }

  #adopt(child: RequestScope): void {
    this.#children ??= new Set();
    this.#children.add(child);
    // Makes this scope known to its own parent, so that the outermost abort arrives here.
    if (this.#parent !== undefined) this.#parent.#adopt(this);
  }

  #forget(child: RequestScope): void {
    this.#children?.delete(child);
  }

  #findReason(): unknown {
    if (this.#aborted || this.#parent === undefined) return this.#reason;
    return this.#parent.#findReason();
  }
}
