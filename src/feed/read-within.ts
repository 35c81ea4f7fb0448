import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError } from '../chain/errors.ts';
import type { Clock } from '../util/clock.ts';
import { RequestScope } from '../util/request-scope.ts';

/**
 * Runs a read of the chain that several callers may share. The read has its own request scope, which ends after `limitMs`.
 * @throws (or rejects with) ChainError `timeout`; errors of `read`
 */
export function readShared<T>(
  clock: Clock,
  limitMs: number,
  read: (scope: RequestScope) => PromiseOrValue<T>,
): PromiseOrValue<T> {
  const scope = new RequestScope(performance.now() + limitMs);
  const value = read(scope);
  if (!(value instanceof Promise)) return value;
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(() => {
      const late = new ChainError('timeout', `a block was not read within ${limitMs} ms`);
      scope.abort(late);
      reject(late);
    }, limitMs);
    value.finally(cancel).then(resolve, reject);
  });
}

/**
 * Waits for `work` until the scope ends.
 * @throws ChainError `aborted`, or the reason why the scope was aborted
 */
export function waitWithin<T>(work: PromiseOrValue<T>, scope: RequestScope): PromiseOrValue<T> {
  if (!(work instanceof Promise)) return work;
  return new Promise((resolve, reject) => {
    const end = (): void => reject(scope.signal.reason ?? new ChainError('aborted', 'the request has ended'));
    if (scope.aborted) {
      end();
      work.catch(() => {});
      return;
    }
    scope.signal.addEventListener('abort', end);
    work.finally(() => scope.signal.removeEventListener('abort', end)).then(resolve, reject);
  });
}
