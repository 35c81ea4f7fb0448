import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { Handler, RequestContext } from './upstream-request.ts';

/** A layer around the sending of a request: it receives request contexts of type `In` and passes them on as `Out`. */
export type Policy<In extends RequestContext = RequestContext, Out extends In = In> = ((
  next: Handler<Out>,
) => Handler<In>) & {
  /** Present if the policy is made of steps: neighbours in a stack then share one promise. */
  readonly steps?: Steps;
};

/** Steps of a policy before and after the inner handler. `next` is everything inside of the policy. */
export type PolicySteps<In extends RequestContext, Out extends In = In> = {
  /**
   * Runs before: returns the same request context with its decisions, or the outcome if it is found in another way. That outcome, and
   * an error thrown here, is seen only by the policies around this one.
   */
  readonly begin?: (context: In, next: Handler<Out>) => Out | Promise<JsonResult>;
  /** Runs after a result: returns its replacement, most often the result itself. */
  readonly onResult?: (context: Out, result: JsonResult, next: Handler<Out>) => PromiseOrValue<JsonResult>;
  /** Runs after a failure: returns its replacement, most often the error itself. */
  readonly onError?: (context: Out, error: unknown) => unknown;
  /** Runs after `onError`: tries to get a result all the same; undefined if there is nothing to try. */
  readonly recover?: (context: Out, error: unknown, next: Handler<Out>) => Promise<JsonResult> | undefined;
};

/** Steps with erased types; the types of the policies ensure that a context carries the decisions they need. */
type Steps = PolicySteps<RequestContext>;

/** Creates a policy that needs no promise of its own if it only observes. */
export function createPolicy<In extends RequestContext, Out extends In = In>(
  own: PolicySteps<In, Out>,
): Policy<In, Out> {
  const steps = own as unknown as Steps;
  const wrap = (next: Handler<Out>): Handler<In> => fuse([steps], next as unknown as Handler);
  return Object.assign(wrap, { steps });
}

/** Observers of a request whose outcome is reported by a call: they have to be notified of its beginning and of its end. */
export type Observed<E extends RequestContext> = {
  begin(context: E): void;
  /** @returns the result's replacement, most often the result itself */
  succeed(context: E, result: JsonResult): JsonResult;
  /** @returns the error's replacement, most often the error itself */
  fail(context: E, error: unknown): unknown;
};

/**
 * Policies from the outside in. A decision that a policy needs has to be made by a policy around it: in any other
 * order the list does not compile.
 */
export class PolicyStack<In extends RequestContext, Out extends In> {
  readonly #policies: readonly Policy[];

  private constructor(policies: readonly Policy[]) {
    this.#policies = policies;
  }

  /** Creates a stack of this policy alone. */
  static of<In extends RequestContext, Out extends In>(outermost: Policy<In, Out>): PolicyStack<In, Out> {
    return new PolicyStack([outermost as unknown as Policy]);
  }

  /** Returns the stack with one more policy inside of all others. */
  around<Next extends Out>(policy: Policy<Out, Next>): PolicyStack<In, Next> {
    return new PolicyStack([...this.#policies, policy as unknown as Policy]);
  }

  /** Returns the same policies as observers. All of them must be made of steps that only observe, without an outcome of their own. */
  observe(): Observed<In> {
    const steps = this.#policies.map((policy) => policy.steps as Steps);
    return {
      begin(context) {
        for (const { begin } of steps) begin?.(context, REFUSE);
      },
      succeed(context, result) {
        let current = result;
        for (let at = steps.length - 1; at >= 0; at--)
          current = (steps[at]?.onResult?.(context, current, REFUSE) ?? current) as JsonResult;
        return current;
      },
      fail(context, error) {
        let current = error;
        for (let at = steps.length - 1; at >= 0; at--)
          current = steps[at]?.onError?.(context, current) ?? current;
        return current;
      },
    };
  }

  /** Returns the handler with all policies around `innermost`. */
  over(innermost: Handler<Out>): Handler<In> {
    let handler = innermost as unknown as Handler;
    let group: readonly Steps[] = [];
    for (const policy of this.#policies.toReversed()) {
      if (policy.steps === undefined) {
        handler = policy(fuse(group, handler));
        group = [];
      } else {
        group = [policy.steps, ...group];
      }
    }
    return fuse(group, handler);
  }
}

/** A policy that only observes sends no requests. */
const REFUSE: Handler = () => Promise.reject(new Error('an observing policy sends no requests'));

/** Fuses neighbouring policies into one handler: a successful request takes one promise for all of them. */
function fuse(group: readonly Steps[], innermost: Handler): Handler {
  return new FusedSteps(group, innermost).entries[0] as Handler;
}

class FusedSteps {
  /** Handlers by position in the group: everything from this policy on inwards. */
  readonly entries: readonly Handler[];
  readonly #steps: readonly Steps[];
  readonly #innermost: Handler;

  constructor(steps: readonly Steps[], innermost: Handler) {
    this.#steps = steps;
    this.#innermost = innermost;
    this.entries = [...steps.map((_, at) => (context: RequestContext) => this.#ask(context, at)), innermost];
  }

  #ask(context: RequestContext, from: number): Promise<JsonResult> {
    const steps = this.#steps;
    let at = from;
    try {
      for (; at < steps.length; at++) {
        const begun = (steps[at] as Steps).begin?.(context, this.entries[at + 1] as Handler);
        if (begun instanceof Promise) return this.#follow(begun, context, from, at);
      }
      return this.#follow(this.#innermost(context), context, from, at);
    } catch (error) {
      return this.#reject(context, from, at, error);
    }
  }

  /** Passes an outcome to the policies from `from` up to before `to`, innermost first. */
  #follow(
    outcome: Promise<JsonResult>,
    context: RequestContext,
    from: number,
    to: number,
  ): Promise<JsonResult> {
    if (from === to) return outcome;
    return outcome.then(
      (result) => this.#succeed(context, from, to, result),
      (error: unknown) => this.#fail(context, from, to, error),
    );
  }

  #succeed(
    context: RequestContext,
    from: number,
    to: number,
    result: JsonResult,
  ): PromiseOrValue<JsonResult> {
    let current = result;
    let at = to;
    try {
      while (at-- > from) {
        const next = (this.#steps[at] as Steps).onResult?.(context, current, this.entries[at + 1] as Handler);
        if (next instanceof Promise) return this.#follow(next, context, from, at);
        if (next !== undefined) current = next;
      }
    } catch (error) {
      return this.#fail(context, from, at, error);
    }
    return current;
  }

  /** @throws the error as replaced by the outermost of them */
  #fail(context: RequestContext, from: number, to: number, error: unknown): PromiseOrValue<JsonResult> {
    let current = error;
    let at = to;
    while (at-- > from) {
      const { onError, recover } = this.#steps[at] as Steps;
      if (onError !== undefined) current = onError(context, current);
      const recovered = recover?.(context, current, this.entries[at + 1] as Handler);
      if (recovered !== undefined) return this.#follow(recovered, context, from, at);
    }
    throw current;
  }

  /** Passes a failure before there was a promise to the policies, as a rejection. */
  async #reject(context: RequestContext, from: number, to: number, error: unknown): Promise<JsonResult> {
    return this.#fail(context, from, to, error);
  }
}
