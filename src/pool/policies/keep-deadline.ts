import { ChainError, createTimeout } from '../../chain/errors.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { UpstreamFault } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';

/**
 * Rejects requests past the caller's deadline; a fault after the deadline is reported as the timeout.
 * @throws ChainError `timeout`, or `aborted` where the caller has gone
 */
export function keepDeadline(): Policy {
  return createPolicy({
    begin(context) {
      if (performance.now() >= context.scope.deadline) throw describeLimit(context.scope);
      return context;
    },
    onError({ scope }, error) {
      if (!(error instanceof UpstreamFault)) return error;
      if (performance.now() >= scope.deadline) return describeLimit(scope);
      return error.kind === 'aborted' ? new ChainError('aborted', 'aborted') : error;
    },
  });
}

/** Timeout error that names the time limit of the scope. */
export function describeLimit({ limitMs }: RequestScope): ChainError {
  return createTimeout(limitMs);
}
