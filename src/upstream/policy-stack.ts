import type { JsonResult } from '../primitives/json-result.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { Exchange, Handler } from './routed-call.ts';

/** Something that happens around the asking: it gets exchanges of type `In` and hands them on as `Out`. */
export type Policy<In extends Exchange = Exchange, Out extends In = In> = ((
  next: Handler<Out>,
) => Handler<In>) & {
  /** Where the policy is made of steps: neighbours in a stack then share one promise. */
  readonly steps?: Steps;
};

/** What a policy does before the asking and after it. `next` is everything inside of it. */
export type PolicySteps<In extends Exchange, Out extends In = In> = {
  /**
   * Before: returns the same exchange with what was decided, or the outcome where it is found in another way. That, and
   * what is thrown, is seen only by the policies around this one.
   */
  readonly begin?: (exchange: In, next: Handler<Out>) => Out | Promise<JsonResult>;
  /** After a result: returns what takes its place, most often itself. */
  readonly onResult?: (exchange: Out, result: JsonResult, next: Handler<Out>) => PromiseOrValue<JsonResult>;
  /** After a failure: returns what takes its place, most often itself. */
  readonly onError?: (exchange: Out, error: unknown) => unknown;
  /** After that: tries to get a result all the same; undefined where there is nothing to try. */
  readonly recover?: (exchange: Out, error: unknown, next: Handler<Out>) => Promise<JsonResult> | undefined;
};

/** Of any exchange: that enough is decided of it, the types of the policies have made sure. */
type Steps = PolicySteps<Exchange>;

/** A policy that needs no promise of its own where it only looks on. */
export function createPolicy<In extends Exchange, Out extends In = In>(
  own: PolicySteps<In, Out>,
): Policy<In, Out> {
  const steps = own as unknown as Steps;
  const wrap = (next: Handler<Out>): Handler<In> => fuse([steps], next as unknown as Handler);
  return Object.assign(wrap, { steps });
}

/** What is around an asking that tells its outcome by a call: to be told of its beginning and of its end. */
export type Observed<E extends Exchange> = {
  begin(exchange: E): void;
  /** @returns what takes the result's place, most often itself */
  succeed(exchange: E, result: JsonResult): JsonResult;
  /** @returns what takes the error's place, most often itself */
  fail(exchange: E, error: unknown): unknown;
};

/**
 * Policies from the outside in. What a policy needs to be decided has to be decided by those around it: in any other
 * order the list does not compile.
 */
export class PolicyStack<In extends Exchange, Out extends In> {
  readonly #policies: readonly Policy[];

  private constructor(policies: readonly Policy[]) {
    this.#policies = policies;
  }

  /** A stack of this policy alone. */
  static of<In extends Exchange, Out extends In>(outermost: Policy<In, Out>): PolicyStack<In, Out> {
    return new PolicyStack([outermost as unknown as Policy]);
  }

  /** The stack with one more policy inside of all others. */
  around<Next extends Out>(policy: Policy<Out, Next>): PolicyStack<In, Next> {
    return new PolicyStack([...this.#policies, policy as unknown as Policy]);
  }

  /** The same policies where each is made of steps that look on, and none has an outcome of its own. */
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

  /** The handler that all policies are around of. */
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

/** No policy that looks on asks. */
const REFUSE: Handler = () => Promise.reject(new Error('a policy that looks on asks nothing'));

/** Neighbouring policies as one handler: a question that is answered takes one promise for all of them. */
function fuse(group: readonly Steps[], innermost: Handler): Handler {
  return new FusedSteps(group, innermost).entries[0] as Handler;
}

class FusedSteps {
  /** By position in the group: everything from this policy on inwards. */
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

  /** Hands an outcome to the policies from `from` up to before `to`, innermost first. */
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

  /** @throws what the outermost of them makes of the failure */
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

  /** The same for what failed before there was a promise. */
  async #reject(exchange: Exchange, from: number, to: number, error: unknown): Promise<JsonResult> {
    return this.#fail(exchange, from, to, error);
  }
}
