import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { ALONE, type GroupHandler, type ReceiveOutcome, type RequestGroup } from './group.ts';
import type { ErasedSteps } from './policy-steps.ts';
import type { Handler, RequestContext } from './upstream-request.ts';

/** Inner handler of steps in a group. If a step would send another request, this handler rejects, so that the request leaves the group. */
const REFUSE: Handler = () => Promise.reject(ALONE);

/**
 * Functions of adjacent policies by position. One array per function: reading the functions from policy objects, which have many shapes, would take
 * as long as running them.
 */
type StepFunctions = {
  readonly begins: readonly ErasedSteps['begin'][];
  readonly onResults: readonly ErasedSteps['onResult'][];
  readonly onErrors: readonly ErasedSteps['onError'][];
};

/**
 * Returns a handler of groups that runs the steps of adjacent policies for each request, without promises. A request leaves the group if a step of a
 * policy would send another request or wait. `recover` of a policy does not run in a group. A request that fails leaves the group, and `recover` runs
 * when the request is sent alone.
 */
export function passEach(steps: readonly ErasedSteps[], next: GroupHandler): GroupHandler {
  const own = steps.filter(({ begin, onResult, onError }) => begin ?? onResult ?? onError);
  if (own.length === 0) return next;
  const functions: StepFunctions = {
    begins: own.map(({ begin }) => begin),
    onResults: own.map(({ onResult }) => onResult),
    onErrors: own.map(({ onError }) => onError),
  };
  const mayEnd = own.some(({ begin }) => begin !== undefined);
  return (group, receive) => {
    const passed = mayEnd ? beginEach(functions, group, receive) : group;
    if (passed === undefined) return;
    next(passed, (position, outcome) =>
      receive(position, follow(functions, passed[position] as RequestContext, outcome, own.length)),
    );
  };
}

/** Begins each request. @returns the group of the requests that no step ended; undefined if there are none */
function beginEach(
  functions: StepFunctions,
  group: RequestGroup,
  receive: ReceiveOutcome,
): RequestGroup | undefined {
  let passed: (RequestContext | undefined)[] | undefined;
  let count = 0;
  for (let position = 0; position < group.length; position++) {
    const context = group[position];
    if (context === undefined) continue;
    const outcome = begin(functions, context);
    if (outcome === undefined) count++;
    else {
      passed ??= [...group];
      passed[position] = undefined;
      receive(position, outcome);
    }
  }
  return count === 0 ? undefined : (passed ?? group);
}

/** Begins one request. @returns the outcome of the request if a step ended it; otherwise undefined */
function begin(functions: StepFunctions, context: RequestContext): JsonResult | Error | undefined {
  const { begins } = functions;
  let at = 0;
  try {
    for (; at < begins.length; at++) {
      const begun = begins[at]?.(context, REFUSE);
      if (begun instanceof Promise && leaves(begun)) return follow(functions, context, ALONE, at);
    }
  } catch (error) {
    return follow(functions, context, error as Error, at);
  }
  return undefined;
}

/** Passes an outcome to the steps before position `to`, innermost first. */
function follow(
  functions: StepFunctions,
  context: RequestContext,
  outcome: JsonResult | Error,
  to: number,
): JsonResult | Error {
  if (outcome instanceof Error) return followError(functions, context, outcome, to);
  const { onResults } = functions;
  let current = outcome;
  let at = to - 1;
  try {
    for (; at >= 0; at--) {
      const onResult = onResults[at];
      if (onResult === undefined) continue;
      const result = onResult(context, current, REFUSE);
      if (result instanceof Promise && leaves(result)) return followError(functions, context, ALONE, at);
      current = result as JsonResult;
    }
  } catch (error) {
    return followError(functions, context, error as Error, at);
  }
  return current;
}

function followError({ onErrors }: StepFunctions, context: RequestContext, error: Error, to: number): Error {
  let current = error;
  for (let at = to - 1; at >= 0; at--) {
    try {
      current = (onErrors[at]?.(context, current) ?? current) as Error;
    } catch (thrown) {
      current = thrown as Error;
    }
  }
  return current;
}

/**
 * Ignores the promise of a step that waits: its request leaves the group and is sent alone. The step has sent nothing, because its inner handler was
 * `REFUSE`.
 */
function leaves(begun: Promise<unknown>): true {
  begun.catch(() => {});
  return true;
}
