import { isComplete } from '../../../packages/ethereum/primitives/json-result.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { RoutedRequest } from '../upstream-request.ts';
import { ContinuedStream } from './continued-stream.ts';

/** Continues a failed stream with another upstream's answer to the same request. If no upstream is left, the stream ends with the fault. */
export function resumeStreams(): Policy<RoutedRequest> {
  return createPolicy<RoutedRequest>({
    onResult(context, result, next) {
      // If the route is already exhausted, no upstream is left that could continue the stream.
      if (isComplete(result) || context.route.leftInAll === 0) return result;
      return new ContinuedStream(result, next, () => (context.route.leftInAll === 0 ? undefined : context));
    },
  });
}
