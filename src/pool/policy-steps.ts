import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { Handler, RequestContext } from './upstream-request.ts';

/** Steps of a policy before and after the inner handler. `next` is the handler with all inner policies. */
export type PolicySteps<In extends RequestContext, Out extends In = In> = {
  /**
   * Runs before the inner handler. Returns the same request context with the policy's decisions, or an outcome that replaces the inner handler. If
   * `begin` returns an outcome or throws, only outer policies see this outcome or error.
   */
  readonly begin?: (context: In, next: Handler<Out>) => Out | Promise<JsonResult>;
  /** Runs after a result, and returns the result or a replacement. */
  readonly onResult?: (context: Out, result: JsonResult, next: Handler<Out>) => PromiseOrValue<JsonResult>;
  /** Runs after a failure, and returns the error or a replacement. */
  readonly onError?: (context: Out, error: unknown) => unknown;
  /**
   * Runs after `onError`. May return a promise of a result from another source, for example of a repeated request. Returns undefined if the error is
   * final.
   */
  readonly recover?: (context: Out, error: unknown, next: Handler<Out>) => Promise<JsonResult> | undefined;
};

/** Steps with erased context types. The types of `PolicyStack` ensure that each policy gets the decisions that it needs. */
export type ErasedSteps = PolicySteps<RequestContext>;
