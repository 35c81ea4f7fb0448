import { ChainError, createTimeout } from '../../chain/errors.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { UpstreamFault } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';

/**
 * Rejects requests whose deadline has passed; a fault after the deadline is reported as a timeout.
 * @throws ChainError `timeout`, or `aborted` if the caller has disconnected
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

/** Returns the timeout error that names the time limit of the scope. */
export function describeLimit({ limitMs }: RequestScope): ChainError {
  return createTimeout(limitMs);
}
