import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { ALONE, type GroupHandler, type RequestGroup } from './group.ts';
import type { ErasedSteps } from './policy-steps.ts';
import type { Handler, RequestContext } from './upstream-request.ts';

/** Inner handler of steps in a group: a step that sends another request makes its request leave the group. */
const REFUSE: Handler = () => Promise.reject(ALONE);

/**
 * Combines the steps of adjacent policies for groups: they run for each request, without promises. A request leaves the group if a step would send
 * another request or wait. `recover` does not run: a request that fails leaves the group, and `recover` runs when it is sent alone.
 */
export function passEach(steps: readonly ErasedSteps[], next: GroupHandler): GroupHandler {
  const own = steps.filter(({ begin, onResult, onError }) => begin ?? onResult ?? onError);
  if (own.length === 0) return next;
  const begins = own.some(({ begin }) => begin !== undefined);
  return (group, receive) => {
    const passed = begins ? beginEach(own, group, receive) : group;
    if (passed === undefined) return;
    next(passed, (position, outcome) =>
      receive(position, follow(own, passed[position] as RequestContext, outcome, own.length)),
    );
  };
}

/** Begins each request. @returns the group of those that go on; undefined if none does */
function beginEach(
  steps: readonly ErasedSteps[],
  group: RequestGroup,
  receive: (position: number, outcome: JsonResult | Error) => void,
): RequestGroup | undefined {
  let passed: (RequestContext | undefined)[] | undefined;
  let count = 0;
  for (let position = 0; position < group.length; position++) {
    const context = group[position];
    if (context === undefined) continue;
    const outcome = begin(steps, context);
    if (outcome === undefined) count++;
    else {
      passed ??= [...group];
      passed[position] = undefined;
      receive(position, outcome);
    }
  }
  return count === 0 ? undefined : (passed ?? group);
}

/** Begins one request. @returns its outcome if it does not go on */
function begin(steps: readonly ErasedSteps[], context: RequestContext): JsonResult | Error | undefined {
  for (let at = 0; at < steps.length; at++) {
    try {
      if (!leaves((steps[at] as ErasedSteps).begin?.(context, REFUSE))) continue;
      return follow(steps, context, ALONE, at);
    } catch (error) {
      return follow(steps, context, error as Error, at);
    }
  }
  return undefined;
}

/** Passes an outcome to the steps before position `to`, innermost first. */
function follow(
  steps: readonly ErasedSteps[],
  context: RequestContext,
  outcome: JsonResult | Error,
  to: number,
): JsonResult | Error {
  let current = outcome;
  for (let at = to - 1; at >= 0; at--) {
    const { onResult, onError } = steps[at] as ErasedSteps;
    try {
      if (current instanceof Error) {
        if (onError !== undefined) current = onError(context, current) as Error;
      } else if (onResult !== undefined) {
        const result = onResult(context, current, REFUSE);
        current = leaves(result) ? ALONE : (result as JsonResult);
      }
    } catch (error) {
      current = error as Error;
    }
  }
  return current;
}

/** Whether a step has to wait. Its promise is not needed: it sends nothing, because `REFUSE` is its inner handler. */
function leaves(outcome: unknown): boolean {
  if (!(outcome instanceof Promise)) return false;
  outcome.catch(() => {});
  return true;
}
