import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { Handler, RequestContext } from './upstream-request.ts';

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
export type ErasedSteps = PolicySteps<RequestContext>;
