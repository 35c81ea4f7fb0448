import { ChainError, createTimeout } from '../../chain/errors.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { UpstreamFault } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';

/** Nothing is asked for a caller past its deadline, and what fails then fails because of that. */
export function keepDeadline(): Policy {
  return createPolicy({
    begin(exchange) {
      if (performance.now() >= exchange.scope.deadline) throw describeLimit(exchange.scope);
      return exchange;
    },
    onError({ scope }, error) {
      if (!(error instanceof UpstreamFault)) return error;
      if (performance.now() >= scope.deadline) return describeLimit(scope);
      return error.kind === 'aborted' ? new ChainError('aborted', 'aborted') : error;
    },
  });
}

/** The failure of what has taken all the time that it had. */
export function describeLimit({ limitMs }: RequestScope): ChainError {
  return createTimeout(limitMs);
}
