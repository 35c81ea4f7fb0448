import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { Handler, RequestContext } from './upstream-request.ts';

/** A layer around the sending of a request: it gets request contexts of type `In` and passes them on as `Out`. */
export type Policy<In extends RequestContext = RequestContext, Out extends In = In> = ((
  next: Handler<Out>,
) => Handler<In>) & {
  /** Present if the policy consists of steps: adjacent policies with steps share one promise. */
  readonly steps?: Steps;
};

/** Steps of a policy before and after the inner handler. `next` is the handler with all policies inside of this one. */
export type PolicySteps<In extends RequestContext, Out extends In = In> = {
  /**
   * Runs before the inner handler: returns the same request context with the policy's decisions, or an outcome that makes the inner handler
   * unnecessary. Only the policies around this one see that outcome, and an error thrown here.
   */
  readonly begin?: (context: In, next: Handler<Out>) => Out | Promise<JsonResult>;
  /** Runs after a result: returns its replacement, usually the result itself. */
  readonly onResult?: (context: Out, result: JsonResult, next: Handler<Out>) => PromiseOrValue<JsonResult>;
  /** Runs after a failure: returns its replacement, usually the error itself. */
  readonly onError?: (context: Out, error: unknown) => unknown;
  /** Runs after `onError`: tries to get a result in another way; undefined if there is no other way. */
  readonly recover?: (context: Out, error: unknown, next: Handler<Out>) => Promise<JsonResult> | undefined;
};

/** Steps with erased types; the types of the policies ensure that a context has the decisions that they need. */
type Steps = PolicySteps<RequestContext>;

/** Creates a policy from steps; if it only observes, it needs no promise of its own. */
export function createPolicy<In extends RequestContext, Out extends In = In>(
  own: PolicySteps<In, Out>,
): Policy<In, Out> {
  const steps = own as unknown as Steps;
  const wrap = (next: Handler<Out>): Handler<In> => fuse([steps], next as unknown as Handler);
  return Object.assign(wrap, { steps });
}

/** Observers of a request whose outcome is reported by a call: they must be notified of its beginning and its end. */
export type Observed<E extends RequestContext> = {
  begin(context: E): void;
  /** @returns the replacement of the result, usually the result itself */
  succeed(context: E, result: JsonResult): JsonResult;
  /** @returns the replacement of the error, usually the error itself */
  fail(context: E, error: unknown): unknown;
};

/**
 * Policies from the outside to the inside. A policy can only use decisions of policies around it: in any other
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

  /** Returns the same policies as observers. All of them must consist of steps that only observe and never return an outcome of their own. */
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

/** Handler for policies that only observe, which must not send requests. */
const REFUSE: Handler = () => Promise.reject(new Error('an observing policy must not send requests'));

/** Combines adjacent policies into one handler: a successful request needs one promise for all of them. */
function fuse(group: readonly Steps[], innermost: Handler): Handler {
  return new FusedSteps(group, innermost).entries[0] as Handler;
}

class FusedSteps {
  /** Handlers by position in the group: each handler includes the policy at its position and all policies inside of it. */
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

  /** Passes an outcome to the policies from position `from` up to, excluding, `to`, innermost first. */
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

  /** @throws the error, as replaced by the outermost of these policies */
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

  /** Passes a failure that occurred before there was a promise to the policies, as a rejection. */
  async #reject(context: RequestContext, from: number, to: number, error: unknown): Promise<JsonResult> {
    return this.#fail(context, from, to, error);
  }
}
