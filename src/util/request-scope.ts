import { CancelSource } from './cancel-source.ts';

/** Work that is traced, as far as those see it who pass it on. */
interface TraceContext {
  readonly traceParent: string;
  begin(
    name: string,
    kind: 'internal' | 'client',
    attributes: Readonly<Record<string, string>>,
  ): TraceContext;
  set(name: string, value: string | number): void;
  end(fault?: string): void;
}

/**
 * When an answer is no longer wanted: a deadline, and a signal for "the client has gone" or "time is up".
 * Most requests never look at the signal, so it is made on first use.
 */
export class RequestScope {
  /** Milliseconds on the clock of `performance.now()`. */
  readonly deadline: number;
  /** Milliseconds that were left when the scope began. */
  readonly limitMs: number;
  readonly #parent: RequestScope | undefined;
  #source: CancelSource | undefined;
  #aborted = false;
  /** Whose request it is; scopes made inside have the same. */
  owner: string | undefined;
  /** The work that it is part of, where that is traced; scopes made inside begin with the same. */
  trace: TraceContext | undefined;
  /** Whether a node had to be asked for the answer: noted by who asks. */
  hasAskedNode = false;
  #reason: unknown;
  /** Scopes inside this one that have a signal to be fired. */
  #children: Set<RequestScope> | undefined;

  /** `now` is the present on the same clock, for those who have just looked. */
  constructor(deadline: number, parent?: RequestScope, now: number = performance.now()) {
    this.deadline = parent === undefined ? deadline : Math.min(deadline, parent.deadline);
    this.limitMs = this.deadline - now;
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
