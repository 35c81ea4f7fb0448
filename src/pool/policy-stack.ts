import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { GroupHandler } from './group.ts';
import { passEach } from './group-steps.ts';
import type { ErasedSteps, PolicySteps } from './policy-steps.ts';
import type { Handler, RequestContext } from './upstream-request.ts';

/** Variant of a policy for groups of requests that are sent to one node. */
type GroupForm<In extends RequestContext, Out extends In> = (next: GroupHandler<Out>) => GroupHandler<In>;

/**
 * Middleware around the sending of a request. A policy gets request contexts of type `In`, and passes them on as type `Out`. Requests in a group pass
 * the same policies: for each policy, either `group` handles the whole group, or the steps run for each request.
 */
export type Policy<In extends RequestContext = RequestContext, Out extends In = In> = ((
  next: Handler<Out>,
) => Handler<In>) &
  (
    | {
        /** Steps before and after the inner handler; adjacent policies with steps share one promise. */
        readonly steps: ErasedSteps;
        readonly group?: GroupForm<In, Out> | undefined;
      }
    | { readonly steps?: undefined; readonly group: GroupForm<In, Out> }
  );

/**
 * Creates a policy from steps. A step that returns no promise costs no promise of its own.
 * @param group handler of whole groups, which replaces the steps; for policies that decide once for all requests of a group
 */
export function createPolicy<In extends RequestContext, Out extends In = In>(
  own: PolicySteps<In, Out>,
  group?: GroupForm<In, Out>,
): Policy<In, Out> {
  const steps = own as unknown as ErasedSteps;
  const wrap = (next: Handler<Out>): Handler<In> => fuse([steps], next as unknown as Handler);
  return Object.assign(wrap, { steps, group });
}

/** List of policies, outermost first. A policy can use only decisions of outer policies; the types reject any other order. */
export class PolicyStack<In extends RequestContext, Out extends In> {
  readonly #policies: readonly Policy[];

  private constructor(policies: readonly Policy[]) {
    this.#policies = policies;
  }

  /** Creates a stack with one policy. */
  static of<In extends RequestContext, Out extends In>(outermost: Policy<In, Out>): PolicyStack<In, Out> {
    return new PolicyStack([outermost as unknown as Policy]);
  }

  /** Returns the stack with one more policy as the innermost. */
  around<Next extends Out>(policy: Policy<Out, Next>): PolicyStack<In, Next> {
    return new PolicyStack([...this.#policies, policy as unknown as Policy]);
  }

  /** Returns the handler with all policies around `innermost`. */
  over(innermost: Handler<Out>): Handler<In> {
    let handler = innermost as unknown as Handler;
    let group: readonly ErasedSteps[] = [];
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

  /** Returns the handler of groups with all policies around `innermost`. */
  overGroups(innermost: GroupHandler<Out>): GroupHandler<In> {
    let handler = innermost as unknown as GroupHandler;
    let adjacent: readonly ErasedSteps[] = [];
    for (const { group, steps } of this.#policies.toReversed()) {
      if (group !== undefined) {
        handler = group(passEach(adjacent, handler));
        adjacent = [];
      } else if (steps !== undefined) adjacent = [steps, ...adjacent];
    }
    return passEach(adjacent, handler);
  }
}

/** Combines adjacent policies into one handler, so that a successful request needs one promise for all of them. */
function fuse(group: readonly ErasedSteps[], innermost: Handler): Handler {
  return new FusedSteps(group, innermost).entries[0] as Handler;
}

class FusedSteps {
  /** Handlers by position: each handler includes the policy at its position and all inner policies. */
  readonly entries: readonly Handler[];
  readonly #steps: readonly ErasedSteps[];
  readonly #innermost: Handler;

  constructor(steps: readonly ErasedSteps[], innermost: Handler) {
    this.#steps = steps;
    this.#innermost = innermost;
    this.entries = [...steps.map((_, at) => (context: RequestContext) => this.#ask(context, at)), innermost];
  }

  #ask(context: RequestContext, from: number): Promise<JsonResult> {
    const steps = this.#steps;
    let at = from;
    try {
      for (; at < steps.length; at++) {
        const begun = (steps[at] as ErasedSteps).begin?.(context, this.entries[at + 1] as Handler);
        if (begun instanceof Promise) return this.#follow(begun, context, from, at);
      }
      return this.#follow(this.#innermost(context), context, from, at);
    } catch (error) {
      return this.#reject(context, from, at, error);
    }
  }

  /** Passes an outcome to the policies from position `to` - 1 down to `from`, innermost first. */
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
        const next = (this.#steps[at] as ErasedSteps).onResult?.(
          context,
          current,
          this.entries[at + 1] as Handler,
        );
        if (next instanceof Promise) return this.#follow(next, context, from, at);
        if (next !== undefined) current = next;
      }
    } catch (error) {
      return this.#fail(context, from, at, error);
    }
    return current;
  }

  /** Passes an error to the policies from position `to` - 1 down to `from`. @throws the error after all replacements, unless a policy recovers */
  #fail(context: RequestContext, from: number, to: number, error: unknown): PromiseOrValue<JsonResult> {
    let current = error;
    let at = to;
    while (at-- > from) {
      const { onError, recover } = this.#steps[at] as ErasedSteps;
      if (onError !== undefined) current = onError(context, current);
      const recovered = recover?.(context, current, this.entries[at + 1] as Handler);
      if (recovered !== undefined) return this.#follow(recovered, context, from, at);
    }
    throw current;
  }

  /** Passes a synchronous failure to the policies, and returns the outcome as a promise. */
  async #reject(context: RequestContext, from: number, to: number, error: unknown): Promise<JsonResult> {
    return this.#fail(context, from, to, error);
  }
}
