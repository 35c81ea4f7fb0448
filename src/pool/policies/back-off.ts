import { UnclearMethod, UpstreamFault } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Directed } from '../upstream-request.ts';

/**
 * If a node reports a rate limit, sends it nothing for the time that the node requests. If a node lacks a method, does not send it this method for a
 * while.
 */
export function backOff(): Policy<Directed> {
  return createPolicy({
    onError({ call, upstream }, error) {
      if (error instanceof UpstreamFault && error.kind === 'rateLimited') {
        upstream.health.pause(error.retryAfterMs, error.bound);
      }
      if (
        error instanceof UpstreamFault &&
        error.kind === 'unsupported' &&
        !(error instanceof UnclearMethod)
      ) {
        upstream.noteUnsupported(call.method);
      }
      return error;
    },
  });
}
