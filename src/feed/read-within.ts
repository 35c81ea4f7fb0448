import { ChainError } from '../chain/errors.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { Clock } from '../util/clock.ts';
import { RequestScope } from '../util/request-scope.ts';

/** A read of the chain that several may wait for: its scope is its own, and ends when its time is up. */
export function readWithin<T>(
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
 * Waits for something until the scope ends.
 * @throws ChainError `aborted`, or what the scope was ended with
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
