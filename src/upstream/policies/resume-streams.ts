import { isComplete } from '../../primitives/json-result.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Routed } from '../routed-call.ts';
import { ContinuedStream } from './continued-stream.ts';

/** A stream that breaks off goes on with another upstream's answer to the same question. When no upstream is left that could, it ends with the fault. */
export function resumeStreams(): Policy<Routed> {
  return createPolicy<Routed>({
    onResult(exchange, result, next) {
      // Each upstream is asked once: what was left is left when the answer is there.
      if (isComplete(result) || exchange.route.isExhausted) return result;
      return new ContinuedStream(result, next, () => (exchange.route.isExhausted ? undefined : exchange));
    },
  });
}
