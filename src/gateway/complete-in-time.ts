import { RpcError } from '../rpc/errors.ts';
import { type Expiring, ExpirySweep } from '../util/expiry-sweep.ts';
import type { RequestScope } from '../util/request-scope.ts';

/** Grace period after the deadline, ms. In this period a chain may end the work itself, with a more specific error. */
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
    this.#reject(new RpcError('timedOut', 'request.time'));
  }
}

/**
 * Resolves or rejects like `work`. When the grace period after the scope's deadline ends first, it aborts the scope, which ends the work, and rejects
 * with RpcError. Chains usually end work by the deadline themselves; this function enforces the deadline if a chain does not.
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
