import { UnclearMethod, UpstreamFault } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Directed } from '../upstream-request.ts';

/** Pauses a node that reports a rate limit for the time that it requests. A method that a node lacks is not sent to it again for a while. */
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
