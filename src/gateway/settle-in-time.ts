import { RpcError } from '../rpc/errors.ts';
import type { RequestScope } from '../util/request-scope.ts';

/** `setTimeout` takes no more than 31 bits. */
const MAX_DELAY_MS = 2 ** 31 - 1;
/** How much longer a chain may take to end the work itself, with an error that says more. */
const GRACE_MS = 500;

/**
 * The outcome of `work`, or RpcError when the scope's deadline has clearly passed; the scope is then aborted so that
 * the work ends too. Chains keep to the deadline themselves: this is what holds when one does not.
 */
export function settleInTime<T>(work: Promise<T>, scope: RequestScope): Promise<T> {
  return new Promise((resolve, reject) => {
    const delay = Math.ceil(scope.deadline - performance.now()) + GRACE_MS;
    const timer = setTimeout(
      () => {
        scope.abort();
        reject(new RpcError('timedOut'));
      },
      Math.min(Math.max(delay, 0), MAX_DELAY_MS),
    );
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      settle();
    };
    work.then(
      (value) => finish(() => resolve(value)),
      (error: unknown) => finish(() => reject(error)),
    );
  });
}
