import { UnclearMethod, UpstreamFault } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Directed } from '../upstream-request.ts';

/** If a node reports a rate limit, pauses it for the requested time; if it lacks a method, stops sending the method to it. */
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
