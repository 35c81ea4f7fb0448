import { ChainError, createTimeout } from '../../chain/errors.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { UpstreamFault } from '../fault.ts';
import { findFirst } from '../group.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';

/**
 * Rejects requests whose deadline has passed, and converts faults after the deadline to timeouts.
 * @throws ChainError `timeout`, or `aborted` if the caller has disconnected
 */
export function keepDeadline(): Policy {
  return createPolicy(
    {
      begin(context) {
        if (performance.now() >= context.scope.deadline) throw describeLimit(context.scope);
        return context;
      },
      onError: ({ scope }, error) => convertFault(error, scope),
    },
    // The scope of the first request is used, because all requests of a group have one scope.
    (next) => (group, receive) => {
      const scope = findFirst(group)?.scope as RequestScope;
      if (performance.now() < scope.deadline) {
        next(group, (position, outcome) => receive(position, convertFault(outcome, scope)));
        return;
      }
      for (let at = 0; at < group.length; at++)
        if (group[at] !== undefined) receive(at, describeLimit(scope));
    },
  );
}

function convertFault<T>(error: T, scope: RequestScope): T | ChainError {
  if (!(error instanceof UpstreamFault)) return error;
  if (performance.now() >= scope.deadline) return describeLimit(scope);
  return error.kind === 'aborted' ? new ChainError('aborted', 'aborted') : error;
}

/** Returns the timeout error that names the time limit of the scope. */
function describeLimit({ limitMs }: RequestScope): ChainError {
  return createTimeout(limitMs);
}
