import type { RpcError } from '../rpc/errors.ts';
import { type Expiring, ExpirySweep } from '../util/expiry-sweep.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { createExpiry } from './create-expiry.ts';

/**
 * Time after the deadline of the scope before the work is ended, ms. Before the grace period has ended, the chain may end its work itself, with a
 * more specific error.
 */
export const GRACE_MS = 500;

const WORKS = new ExpirySweep<TimedWork>();

/** Work that must end by the deadline of its scope. */
class TimedWork implements Expiring {
  readonly expiresAt: number;
  sweepIndex = -1;
  readonly #scope: RequestScope;
  readonly #reject: (error: RpcError) => void;

  constructor(scope: RequestScope, reject: (error: RpcError) => void) {
    this.expiresAt = scope.deadline + GRACE_MS;
    this.#scope = scope;
    this.#reject = reject;
  }

  expire(): void {
    WORKS.delete(this);
    this.#scope.abort();
    this.#reject(createExpiry(this.#scope));
  }
}

/**
 * Resolves or rejects like `work`. If `work` has not ended when the grace period after the deadline ends, the scope is aborted, which ends the work.
 * After the grace period, the promise rejects with RpcError. A chain usually ends its work by the deadline itself, so this function is needed only if
 * a chain does not.
 */
export function completeInTime<T>(work: Promise<T>, scope: RequestScope): Promise<T> {
  return new Promise((resolve, reject) => {
    const timed = new TimedWork(scope, reject);
    WORKS.add(timed);
    work.then(
      (value) => {
        WORKS.delete(timed);
        resolve(value);
      },
      (error: unknown) => {
        WORKS.delete(timed);
        reject(error);
      },
    );
  });
}
