import type { JsonResult } from '../primitives/json-result.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { Exchange, Handler } from './upstream-request.ts';

/** A layer around the sending of a request: it receives request contexts of type `In` and passes them on as `Out`. */
export type Policy<In extends Exchange = Exchange, Out extends In = In> = ((
  next: Handler<Out>,
) => Handler<In>) & {
  /** Present if the policy is made of steps: neighbours in a stack then share one promise. */
  readonly steps?: Steps;
};

/** Steps of a policy before and after the inner handler. `next` is everything inside of the policy. */
export type PolicySteps<In extends Exchange, Out extends In = In> = {
  /**
   * Runs before: returns the same request context with its decisions, or the outcome if it is found in another way. That outcome, and
   * an error thrown here, is seen only by the policies around this one.
   */
  readonly begin?: (exchange: In, next: Handler<Out>) => Out | Promise<JsonResult>;
  /** Runs after a result: returns its replacement, most often the result itself. */
  readonly onResult?: (exchange: Out, result: JsonResult, next: Handler<Out>) => PromiseOrValue<JsonResult>;
  /** Runs after a failure: returns its replacement, most often the error itself. */
  readonly onError?: (exchange: Out, error: unknown) => unknown;
  /** Runs after `onError`: tries to get a result all the same; undefined if there is nothing to try. */
  readonly recover?: (exchange: Out, error: unknown, next: Handler<Out>) => Promise<JsonResult> | undefined;
};

/** Steps with erased types; the types of the policies ensure that a context carries the decisions they need. */
type Steps = PolicySteps<Exchange>;

/** Creates a policy that needs no promise of its own if it only observes. */
export function createPolicy<In extends Exchange, Out extends In = In>(
  own: PolicySteps<In, Out>,
): Policy<In, Out> {
  const steps = own as unknown as Steps;
  const wrap = (next: Handler<Out>): Handler<In> => fuse([steps], next as unknown as Handler);
  return Object.assign(wrap, { steps });
}

/** Observers of a request whose outcome is reported by a call: they have to be notified of its beginning and of its end. */
export type Observed<E extends Exchange> = {
  begin(exchange: E): void;
  /** @returns the result's replacement, most often the result itself */
  succeed(exchange: E, result: JsonResult): JsonResult;
  /** @returns the error's replacement, most often the error itself */
  fail(exchange: E, error: unknown): unknown;
};

/**
 * Policies from the outside in. A decision that a policy needs has to be made by a policy around it: in any other
 * order the list does not compile.
 */
export class PolicyStack<In extends Exchange, Out extends In> {
  readonly #policies: readonly Policy[];

  private constructor(policies: readonly Policy[]) {
    this.#policies = policies;
  }

  /** Creates a stack of this policy alone. */
  static of<In extends Exchange, Out extends In>(outermost: Policy<In, Out>): PolicyStack<In, Out> {
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
      begin(exchange) {
        for (const { begin } of steps) begin?.(exchange, REFUSE);
      },
      succeed(exchange, result) {
        let current = result;
        for (let at = steps.length - 1; at >= 0; at--)
          current = (steps[at]?.onResult?.(exchange, current, REFUSE) ?? current) as JsonResult;
        return current;
      },
      fail(exchange, error) {
        let current = error;
        for (let at = steps.length - 1; at >= 0; at--)
          current = steps[at]?.onError?.(exchange, current) ?? current;
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
const REFUSE: Handler = () => Promise.reject(new Error('a policy that looks on asks nothing'));

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
    this.entries = [...steps.map((_, at) => (exchange: Exchange) => this.#ask(exchange, at)), innermost];
  }

  #ask(exchange: Exchange, from: number): Promise<JsonResult> {
    const steps = this.#steps;
    let at = from;
    try {
      for (; at < steps.length; at++) {
        const begun = (steps[at] as Steps).begin?.(exchange, this.entries[at + 1] as Handler);
        if (begun instanceof Promise) return this.#follow(begun, exchange, from, at);
      }
      return this.#follow(this.#innermost(exchange), exchange, from, at);
    } catch (error) {
      return this.#reject(exchange, from, at, error);
    }
  }

  /** Passes an outcome to the policies from `from` up to before `to`, innermost first. */
  #follow(outcome: Promise<JsonResult>, exchange: Exchange, from: number, to: number): Promise<JsonResult> {
    if (from === to) return outcome;
    return outcome.then(
      (result) => this.#succeed(exchange, from, to, result),
      (error: unknown) => this.#fail(exchange, from, to, error),
    );
  }

  #succeed(exchange: Exchange, from: number, to: number, result: JsonResult): PromiseOrValue<JsonResult> {
    let current = result;
    let at = to;
    try {
      while (at-- > from) {
        const next = (this.#steps[at] as Steps).onResult?.(
          exchange,
          current,
          this.entries[at + 1] as Handler,
        );
        if (next instanceof Promise) return this.#follow(next, exchange, from, at);
        if (next !== undefined) current = next;
      }
    } catch (error) {
      return this.#fail(exchange, from, at, error);
    }
    return current;
  }

  /** @throws the error as replaced by the outermost of them */
  #fail(exchange: Exchange, from: number, to: number, error: unknown): PromiseOrValue<JsonResult> {
    let current = error;
    let at = to;
    while (at-- > from) {
      const { onError, recover } = this.#steps[at] as Steps;
      if (onError !== undefined) current = onError(exchange, current);
      const recovered = recover?.(exchange, current, this.entries[at + 1] as Handler);
      if (recovered !== undefined) return this.#follow(recovered, exchange, from, at);
    }
    throw current;
  }

  /** Passes a failure before there was a promise to the policies, as a rejection. */
  async #reject(exchange: Exchange, from: number, to: number, error: unknown): Promise<JsonResult> {
    return this.#fail(exchange, from, to, error);
  }
}
